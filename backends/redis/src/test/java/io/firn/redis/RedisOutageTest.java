package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.CuttingProxy;
import io.firn.testkit.FreePort;
import io.firn.testservers.RedisServer;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.JedisPooled;

class RedisOutageTest {

  private static final TimeSource TIME = TimeSource.system();

  @BeforeAll
  static void warmUp() {
    Admin.loadLettuce();
  }

  private static RegisterStore open(int port, String parameters) {
    return RegisterStore.open("redis://127.0.0.1:" + port + "?" + parameters);
  }

  private static Duration timeOf(Runnable call) {
    long begin = TIME.nanoTime();
    call.run();
    return Duration.ofNanos(TIME.nanoTime() - begin);
  }

  @Test
  void firstCallFailsIfNoServerListensAndNothingWasSent() {
    int port = FreePort.next();
    try (RegisterStore store = open(port, "timeout=60s")) {
      Duration took =
          timeOf(
              () ->
                  assertThatThrownBy(() -> store.compareAndSet("a", 0, "1"))
                      .isInstanceOf(StoreException.class)
                      .hasMessageMatching(
                          "Store redis://127.0.0.1:"
                              + port
                              + "\\?timeout=60s failed after \\d+ ms:"
                              + " Connection refused.*"));
      assertThat(took).isLessThan(Duration.ofSeconds(30));
    }
  }

  @Test
  void connectionOnWhichNothingIsSaidIsGivenUpAtTheTimeout() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store = open(server.port(), "timeout=2s")) {
      server.pause();
      Duration took =
          timeOf(
              () ->
                  assertThatThrownBy(() -> store.compareAndSet("a", 0, "1"))
                      .isInstanceOf(StoreException.class)
                      .hasMessageEndingWith(" ms: no answer in time"));
      assertThat(took).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(60));
      server.resume();
      assertThat(store.read("a")).isEmpty();
    }
  }

  @Test
  void writeThatIsNotAnsweredIsUnknownAtTheTimeoutAndMayBeAppliedLater() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store = open(server.port(), "timeout=2s")) {
      long version = store.compareAndSet("a", 0, "1").version();
      server.pause();
      Duration took =
          timeOf(
              () ->
                  assertThat(store.compareAndSet("a", version, "2"))
                      .isEqualTo(WriteResult.UNKNOWN));
      assertThat(took).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(60));
      server.resume();
      Register now = store.read("a").orElseThrow();
      assertThat(now.value()).isEqualTo("2");
      assertThat(store.compareAndSet("a", now.version(), "3").version())
          .isGreaterThan(now.version());
    }
  }

  @Test
  void storeIsThereAgainAsSoonAsTheServerIs() {
    try (RedisServer server = RedisServer.startDurable();
        RegisterStore store = open(server.port(), "may-forget=false&timeout=30s")) {
      for (int i = 0; i < 3; i++) {
        Register before = store.read("a").orElse(new Register("a", 0, ""));
        long version = store.compareAndSet("a", before.version(), "" + i).version();
        server.kill();
        assertThatThrownBy(() -> store.read("a")).isInstanceOf(StoreException.class);
        server.restart();
        assertThat(store.read("a")).contains(new Register("a", version, "" + i));
      }
    }
  }

  @Test
  void writeWhoseReplyIsLostIsUnknownAndAppliedOnce() {
    try (RedisServer server = RedisServer.start();
        CuttingProxy proxy = CuttingProxy.to(server.address());
        RegisterStore store = open(proxy.address().getPort(), "timeout=30s")) {
      long version = store.compareAndSet("a", 0, "1").version();
      proxy.cutReplies();
      assertThat(store.compareAndSet("a", version, "2")).isEqualTo(WriteResult.UNKNOWN);
      proxy.heal();
      assertThat(store.read("a").map(Register::value)).contains("2");
      assertThat(Admin.info(server, "cmdstat_hset")).startsWith("calls=2,");
    }
  }

  @Test
  void interruptedThreadGetsItsAnswerAndStaysInterrupted() {
    try (RedisServer server = RedisServer.start();
        CuttingProxy proxy = CuttingProxy.to(server.address());
        RegisterStore store = open(proxy.address().getPort(), "timeout=30s")) {
      proxy.delay(Duration.ofMillis(50));
      Thread.currentThread().interrupt();
      WriteResult result = store.compareAndSet("a", 0, "1");
      boolean interrupted = Thread.interrupted();
      assertThat(interrupted).isTrue();
      assertThat(store.read("a")).contains(new Register("a", result.version(), "1"));
    }
  }

  @Test
  void scanOfManyPagesEndsWithItsCall() {
    try (RedisServer server = RedisServer.start();
        CuttingProxy proxy = CuttingProxy.to(server.address());
        JedisPooled jedis = new JedisPooled("127.0.0.1", proxy.address().getPort());
        RegisterStore own = open(proxy.address().getPort(), "timeout=5s");
        RegisterStore others =
            RedisRegisterStore.builder(jedis::eval).timeout(Duration.ofSeconds(5)).build()) {
      for (int first = 0; first < 100_000; first += 10_000) {
        Admin.ask(
            server,
            "EVAL",
            "for i = ARGV[1], ARGV[1] + 9999 do redis.call('HSET', KEYS[1], i, '1 x') end",
            "1",
            RedisRegisterStore.KEY,
            "" + first);
      }
      for (RegisterStore store : List.of(own, others)) {
        assertThat(store.read("none")).isEmpty();
        proxy.delay(Duration.ofSeconds(1));
        assertThatThrownBy(() -> store.scan("none"))
            .isInstanceOf(StoreException.class)
            .hasMessageEndingWith(" ms: no answer in time");
        proxy.heal();
      }
    }
  }

  @Test
  void closeLeavesNoThread() {
    try (RedisServer server = RedisServer.start()) {
      Set<Thread> before = lettuces();
      RegisterStore store = open(server.port(), "key=k");
      store.read("a");
      Set<Thread> own = lettuces();
      own.removeAll(before);
      assertThat(own).isNotEmpty().allMatch(Thread::isDaemon);

      assertThat(timeOf(store::close)).isLessThan(Duration.ofSeconds(20));
      Admin.await("the end of " + own, () -> own.stream().noneMatch(Thread::isAlive));
    }
  }

  private static Set<Thread> lettuces() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("lettuce-"))
        .collect(Collectors.toSet());
  }
}
