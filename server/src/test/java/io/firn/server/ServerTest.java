package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.firn.lease.Namespace;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.Sources;
import io.firn.server.redis.RedisProtocol;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class ServerTest {

  /** Numbers for one second: whoever asks for more waits for the next. */
  private static final String SLOW = "defaults: {layout: '31t+20w+6s@2026-01-01T00:00:00Z/1s'}";

  private static RunningServer start(String... yaml) {
    return RunningServer.start("redis", RedisProtocol::new, yaml);
  }

  @Test
  void answersWhatIsUnderWayWhenItStops() {
    try (RunningServer server = start(SLOW);
        RawClient client = server.connect()) {
      client.send("NEXT slow\r\n").line();
      client.send("NEXT slow COUNT 70\r\n");
      awaitWaiting(server);
      CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);
      client.expect("*70\r\n");
      for (int i = 0; i < 70; i++) {
        assertThat(client.line()).startsWith(":");
      }
      assertThat(client.rest()).isEmpty();
      stop.join();
    }
  }

  private static void awaitWaiting(RunningServer server) {
    OpenNamespace slow = server.server().service().namespaces().opened("slow");
    while (slow.waiting() == 0) {
      Thread.onSpinWait();
    }
  }

  @Test
  void endsQuietConnectionsWhenItStops() {
    try (RunningServer server = start();
        RawClient quiet = server.connect();
        RawClient busy = server.connect()) {
      busy.send("INCR a\r\n").line();
      CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);
      assertThat(quiet.rest()).isEmpty();
      assertThat(busy.rest()).isEmpty();
      stop.join();
    }
  }

  @Test
  void doesNotWaitForHalfARequestBeyondItsGrace() {
    RunningServer server = start("grace: 400ms");
    try (RawClient half = server.connect()) {
      half.send("PING\r\nINC").expect("+PONG\r\n");
      long begin = System.nanoTime();
      server.close();
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(300));
      assertThat(half.rest()).isIn("", "reset");
    }
  }

  @Test
  void acceptsNoConnectionOnceItStops() {
    RunningServer server = start();
    var address = server.address();
    server.close();
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> new RawClient(address))
        .withCauseInstanceOf(ConnectException.class);
  }

  @Test
  void givesItsLeasesBackWhenItStops() {
    RunningServer server = start();
    String store = server.server().service().config().store();
    try (RegisterStore registers = RegisterStore.open(store)) {
      Namespace namespace = Namespace.of(registers, "default");
      assertThat(namespace.workers()).allMatch(worker -> worker.held());
      server.close();
      assertThat(namespace.workers()).hasSize(1).noneMatch(worker -> worker.held());
    }
  }

  /** The Redis protocol, which fails when the server asks whether to drain its connections. */
  private record FailingProtocol(Protocol redis) implements Protocol {

    @Override
    public String name() {
      return redis.name();
    }

    @Override
    public boolean announcesClose() {
      throw new IllegalStateException("cannot tell");
    }

    @Override
    public void open(ChannelPipeline pipeline, Connection connection) {
      redis.open(pipeline, connection);
    }

    @Override
    public ByteBuf rejection(RequestException refusal) {
      return redis.rejection(refusal);
    }

    @Override
    public Probe probe(String namespace, Optional<String> token) {
      return redis.probe(namespace, token);
    }
  }

  @Test
  void givesItsLeasesBackAlthoughAStepOfTheStopFails() {
    RunningServer server =
        RunningServer.start(
            "redis", service -> new FailingProtocol(new RedisProtocol(service)), "drain: 10ms");
    assertThatIllegalStateException()
        .isThrownBy(server::close)
        .withMessage(
            "The server did not stop in order: java.lang.IllegalStateException: cannot tell");
    String store = server.server().service().config().store();
    try (RegisterStore registers = RegisterStore.open(store)) {
      assertThat(Namespace.of(registers, "default").workers())
          .hasSize(1)
          .noneMatch(worker -> worker.held());
    }
  }

  @Test
  void canBeStoppedTwice() {
    RunningServer server = start();
    server.close();
    server.close();
  }

  @Test
  void refusesAnAddressThatIsTaken() {
    try (RunningServer server = start()) {
      Map<String, String> flags =
          Map.of(
              "--listen-redis",
              "127.0.0.1:" + server.address().getPort(),
              "--store",
              server.server().service().config().store());
      ServerConfig config = Sources.of(flags, Map.of(), "").read();
      assertThatExceptionOfType(RequestException.class)
          .isThrownBy(
              () ->
                  Server.start(
                      config, TimeSource.system(), service -> List.of(new RedisProtocol(service))))
          .withMessageMatching(
              "Cannot listen at 127\\.0\\.0\\.1:"
                  + server.address().getPort()
                  + " \\(listen\\.redis\\): Address already in use");
    }
  }

  @Test
  void refusesAStoreWithoutAProvider() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> start("store: 'nowhere:x'"))
        .withMessageStartingWith("store: nowhere:x (expected: one of file:DIR, memory:");
  }

  @Test
  void aReloadThatAPartRefusesChangesNothing() {
    Sources sources = Sources.of(Map.of(), Map.of(), "memory:");
    ServerConfig before = sources.read();
    CurrentConfig current = new CurrentConfig(before, TimeSource.system());
    current.addPart(
        next -> {
          throw new IllegalArgumentException("part: wrong (expected: right)");
        });
    current.readFrom(sources::read);
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(current::reload)
        .withMessage("part: wrong (expected: right)");
    assertThat(current.latest()).isSameAs(before);
  }
}
