package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.FreePort;
import io.firn.testservers.FirnServer;
import io.firn.testservers.TestJvm;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainDatagramPacket;
import io.netty.channel.unix.DomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the messages to systemd, over a real socket. */
@Timeout(180)
final class SystemdNotifierTest {

  private static final long MAX_WAIT_SECONDS = 60;

  @TempDir private Path directory;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final BlockingQueue<String> states = new LinkedBlockingQueue<>();

  @AfterEach
  void end() {
    group.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private Channel bind(String address) {
    return new Bootstrap()
        .group(group)
        .channel(EpollDomainDatagramChannel.class)
        .handler(
            new SimpleChannelInboundHandler<DomainDatagramPacket>() {
              @Override
              protected void channelRead0(ChannelHandlerContext ctx, DomainDatagramPacket packet) {
                states.add(packet.content().toString(StandardCharsets.UTF_8));
              }
            })
        .bind(new DomainSocketAddress(address))
        .syncUninterruptibly()
        .channel();
  }

  private Process start(String socket, String store) throws Exception {
    return start(socket, store, "300000");
  }

  private Process start(String socket, String store, String watchdogMicros) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
            TestJvm.command(
                Main.class.getName(),
                List.of(
                    "serve",
                    "--store=" + store,
                    "--drain=0ms",
                    "--listen-http=127.0.0.1:0",
                    "--listen-redis=off",
                    "--listen-thrift=off")));
    FirnServer.clearSettings(builder.environment());
    builder.environment().putAll(Map.of("NOTIFY_SOCKET", socket, "WATCHDOG_USEC", watchdogMicros));
    return builder
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .redirectError(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private String next() throws InterruptedException {
    return states.poll(MAX_WAIT_SECONDS, TimeUnit.SECONDS);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void tellsThatItIsReadyAndRunsAndStops(boolean inAbstractNamespace) throws Exception {
    String path = directory.resolve("notify").toString();
    Channel socket = bind(inAbstractNamespace ? "\0" + path : path);
    Process server = start(inAbstractNamespace ? "@" + path : path, "memory:");
    try {
      assertThat(List.of(next(), next(), next()))
          .containsExactly("READY=1", "WATCHDOG=1", "WATCHDOG=1");
      server.destroy();
      String state = next();
      while (state.equals("WATCHDOG=1")) {
        state = next();
      }
      assertThat(state).isEqualTo("STOPPING=1");
      assertThat(server.waitFor(MAX_WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      server.destroyForcibly().onExit().join();
      socket.close().syncUninterruptibly();
    }
  }

  /** Otherwise systemd would restart it again and again until the store is back. */
  @Test
  void tellsThatItHasStartedWhileItsStoreIsDown() throws Exception {
    String path = directory.resolve("notify").toString();
    Channel socket = bind(path);
    Process server = start(path, "redis://127.0.0.1:" + FreePort.next());
    try {
      assertThat(List.of(next(), next())).containsExactly("READY=1", "WATCHDOG=1");
    } finally {
      server.destroyForcibly().onExit().join();
      socket.close().syncUninterruptibly();
    }
  }

  /** The server has started by then, and its stop ends the process. */
  @Test
  void endsAsAFailureWhenTheWatchdogTimeIsNoNumber() throws Exception {
    String path = directory.resolve("notify").toString();
    Channel socket = bind(path);
    Process server = start(path, "memory:", "300ms");
    try {
      assertThat(server.waitFor(MAX_WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(server.exitValue()).isEqualTo(1);
    } finally {
      server.destroyForcibly().onExit().join();
      socket.close().syncUninterruptibly();
    }
  }

  @Test
  void saysWhatToSetInTheUnitWithoutEpoll() throws Exception {
    Path log = directory.resolve("log");
    ProcessBuilder builder =
        new ProcessBuilder(
            TestJvm.command(
                List.of("-Dio.netty.transport.noNative=true"),
                Main.class.getName(),
                List.of(
                    "serve",
                    "--store=memory:",
                    "--listen-http=127.0.0.1:0",
                    "--listen-redis=off",
                    "--listen-thrift=off")));
    FirnServer.clearSettings(builder.environment());
    builder.environment().put("NOTIFY_SOCKET", directory.resolve("notify").toString());
    Process server = builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      Instant end = Instant.now().plusSeconds(MAX_WAIT_SECONDS);
      while (!Files.readString(log).contains("NOTIFY_SOCKET") && Instant.now().isBefore(end)) {
        assertThat(server.waitFor(50, TimeUnit.MILLISECONDS)).isFalse();
      }
    } finally {
      server.destroyForcibly().onExit().join();
    }
    assertThat(log)
        .content()
        .contains(
            "NOTIFY_SOCKET is not used, because there is no epoll library for this machine; set"
                + " Type=exec in the unit, and no WatchdogSec");
  }

  @Test
  void isNotThereWithoutASocket() {
    assertThat(SystemdNotifier.of(Map.of())).isEmpty();
    String none = directory.resolve("none").toString();
    assertThat(SystemdNotifier.of(Map.of("NOTIFY_SOCKET", none))).isEmpty();
  }
}
