package io.firn.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.CuttingProxy;
import io.firn.testkit.LogLines;
import io.firn.testservers.ModularApplication;
import io.firn.testservers.TlsProxy;
import io.firn.testservers.ZooKeeperServers;
import io.firn.time.TimeSource;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of what only ZooKeeper does. */
class ZooKeeperStoreTest {

  private static final Duration MAX_WAIT = Duration.ofMinutes(2);

  /** To read, write, create, delete and administer. */
  private static final int ALL = 31;

  private static final TimeSource TIME = TimeSource.system();

  private static ZooKeeperServers servers;

  @BeforeAll
  static void start() {
    servers = ZooKeeperServers.start(1);
  }

  @AfterAll
  static void stop() {
    servers.close();
  }

  private static RegisterStore open(String rest) {
    String separator = rest.contains("?") ? "&" : "?";
    return RegisterStore.open(
        "zookeeper://" + servers.connectString() + rest + separator + "timeout=20s");
  }

  @Test
  void registerIsANodeThatAnOperatorCanRead() throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper operator =
        new ZooKeeper(servers.connectString(), 5_000, event -> connected.countDown());
    try (RegisterStore store = open("/ids/prod")) {
      store.compareAndSet("orders/worker/17", 0, "held");
      connected.await();

      byte[] data = operator.getData("/ids/prod/orders%2Fworker/17", false, null);
      assertThat(new String(data, StandardCharsets.UTF_8)).isEqualTo("held");
      operator.setData("/ids/prod/orders%2Fworker/17", data, 0);
      assertThat(store.read("orders/worker/17"))
          .contains(new Register("orders/worker/17", 2, "held"));
    } finally {
      operator.close();
    }
  }

  @Test
  void rootsDoNotSeeEachOthersRegisters() {
    try (RegisterStore one = open("/one");
        RegisterStore other = open("/other")) {
      one.compareAndSet("orders/layout", 0, "x");

      assertThat(other.read("orders/layout")).isEmpty();
      assertThat(other.scan("")).isEmpty();
      assertThat(one.scan("")).hasSize(1);
    }
  }

  @Test
  void versionEndsWhereZooKeeperStopsCounting() {
    try (RegisterStore store = open("/limit")) {
      store.compareAndSet("a", 0, "x");

      assertThat(store.compareAndSet("a", 2_147_483_647L, "y")).isEqualTo(WriteResult.CONFLICT);
      assertThatThrownBy(() -> store.compareAndSet("a", 2_147_483_648L, "y"))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "Store "
                  + store
                  + " has written a 2147483648 times, after which ZooKeeper's versions end; make"
                  + " the node anew with the same data while no process uses it");
      assertThat(store.compareAndSet("a", 2_147_483_649L, "y")).isEqualTo(WriteResult.CONFLICT);
      assertThat(store.compareAndSet("a", -1, "y")).isEqualTo(WriteResult.CONFLICT);
      assertThat(store.read("a")).contains(new Register("a", 1, "x"));
    }
  }

  @Test
  void expiredSessionTakesNothingWithIt() {
    try (CuttingProxy proxy = CuttingProxy.to(servers.address(0));
        RegisterStore store =
            RegisterStore.open(
                "zookeeper://127.0.0.1:" + proxy.address().getPort() + "/expiry?timeout=2s")) {
      whenItWorks(() -> store.read("a"));
      assertThat(store.compareAndSet("a", 0, "x")).isEqualTo(WriteResult.applied(1));

      proxy.stall();
      park(Duration.ofSeconds(7)); // the session has four seconds
      proxy.heal();

      assertThat(whenItWorks(() -> store.read("a"))).contains(new Register("a", 1, "x"));
      assertThat(store.compareAndSet("a", 1, "y")).isEqualTo(WriteResult.applied(2));
    }
  }

  @Test
  void writeWhoseReplyDoesNotComeIsUnknownAndLogged() {
    try (CuttingProxy proxy = CuttingProxy.to(servers.address(0));
        LogLines log = new LogLines(ZooKeeperRegisterStore.class.getName());
        RegisterStore store =
            RegisterStore.open(
                "zookeeper://127.0.0.1:" + proxy.address().getPort() + "/reply?timeout=2s")) {
      whenItWorks(() -> store.compareAndSet("a", 0, "x"));
      proxy.stall();
      assertThat(store.compareAndSet("a", 1, "y")).isEqualTo(WriteResult.UNKNOWN);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .matches(
              "Store zookeeper://.* did not report the outcome of a write in \\d+ ms:"
                  + " KeeperErrorCode = OperationTimeout for /reply/%/a");
    }
  }

  private static <T> T whenItWorks(Supplier<T> call) {
    long begin = TIME.nanoTime();
    while (true) {
      try {
        return call.get();
      } catch (StoreException e) {
        assertThat(TIME.nanoTime() - begin).as(e::toString).isLessThan(MAX_WAIT.toNanos());
      }
    }
  }

  private static void park(Duration duration) {
    long end = TIME.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - TIME.nanoTime()) {
      TIME.parkNanos(left);
    }
  }

  @Test
  void nodesOfAUserAreForThatUserAlone() {
    try (RegisterStore mine = open("/mine?user=ids&password=se:cret");
        RegisterStore again = open("/mine?user=ids&password=se:cret");
        RegisterStore other = open("/mine?user=ids&password=wrong");
        RegisterStore anybody = open("/mine")) {
      mine.compareAndSet("orders/a", 0, "x");

      assertThat(again.compareAndSet("orders/a", 1, "y")).isEqualTo(WriteResult.applied(2));
      for (RegisterStore stranger : new RegisterStore[] {other, anybody}) {
        assertThatThrownBy(() -> stranger.read("orders/a"))
            .isInstanceOf(StoreException.class)
            .hasMessageEndingWith("KeeperErrorCode = NoAuth for /mine")
            .hasMessageNotContaining("wrong");
        assertThatThrownBy(() -> stranger.compareAndSet("orders/a", 2, "z"))
            .isInstanceOf(StoreException.class)
            .hasMessageEndingWith("KeeperErrorCode = NoAuth for /mine/orders/a");
        assertThatThrownBy(() -> stranger.compareAndSet("orders/b", 0, "z"))
            .isInstanceOf(StoreException.class)
            .hasMessageEndingWith("KeeperErrorCode = NoAuth for /mine/orders/b");
      }
      assertThat(mine.read("orders/a")).contains(new Register("orders/a", 2, "y"));
    }
  }

  @Test
  void serverIsTrustedOverTlsIfItsCertificateAndItsNameAreRight() {
    try (TlsProxy proxy = TlsProxy.to(servers.address(0))) {
      String files = "&ca-file=" + proxy.certificate() + "&cert-file=" + proxy.keyAndCertificate();
      String address = "localhost:" + proxy.port() + "/tls?acl=world&timeout=1s";
      String patient = "zookeepers://" + address.replace("1s", "20s") + files;
      try (RegisterStore store = RegisterStore.open(patient)) {
        assertThat(store.compareAndSet("a", 0, "x")).isEqualTo(WriteResult.applied(1));
        assertThat(store.read("a")).contains(new Register("a", 1, "x"));
      }
      for (String wrong :
          new String[] {
            "zookeepers://" + address.replace("localhost", "127.0.0.1") + files,
            "zookeepers://" + address + "&cert-file=" + proxy.keyAndCertificate(),
            "zookeepers://" + address + "&ca-file=" + proxy.certificate()
          }) {
        try (RegisterStore store = RegisterStore.open(wrong)) {
          assertThatThrownBy(() -> store.read("a"))
              .as(wrong)
              .isInstanceOf(StoreException.class)
              .hasMessageContaining("no connection");
        }
      }
    }
  }

  @Test
  void clientWithACertificateAloneLeavesNoNodeToEverybody() {
    // The proxy ends TLS, so this server does not know the client: it must not write for all.
    try (TlsProxy proxy = TlsProxy.to(servers.address(0));
        RegisterStore store =
            RegisterStore.open(
                "zookeepers://localhost:"
                    + proxy.port()
                    + "/certified?timeout=20s&ca-file="
                    + proxy.certificate()
                    + "&cert-file="
                    + proxy.keyAndCertificate())) {
      assertThatThrownBy(() -> store.compareAndSet("a", 0, "x"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("InvalidACL");
    }
  }

  @Test
  void registersAreReadWhereTheTopIsProtected() throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper operator =
        new ZooKeeper(servers.connectString(), 5_000, event -> connected.countDown());
    try (RegisterStore store = open("/below")) {
      assertThat(store.compareAndSet("a", 0, "x")).isEqualTo(WriteResult.applied(1));
      connected.await();
      operator.addAuthInfo("digest", "top:secret".getBytes(StandardCharsets.UTF_8));
      operator.setACL("/", Arrays.asList(new ACL(ALL, new Id("auth", ""))), -1);

      assertThat(store.read("a")).contains(new Register("a", 1, "x"));
    } finally {
      operator.setACL("/", Arrays.asList(new ACL(ALL, new Id("world", "anyone"))), -1);
      operator.close();
    }
  }

  @Test
  void threadsOfTheClientKeepNoProcessAlive() {
    try (RegisterStore store = open("/daemon")) {
      store.read("a");
      assertThat(Thread.getAllStackTraces().keySet())
          .filteredOn(thread -> thread.getName().matches(".*(SendThread|EventThread).*"))
          .isNotEmpty()
          .allMatch(Thread::isDaemon);
    }
  }

  @Test
  void moduleFindsItsClientOnTheClassPath() throws Exception {
    String said =
        ModularApplication.run(
            "io.firn.zookeeper",
            ZooKeeperStoreProvider.class,
            "zookeeper://" + servers.connectString() + "/modules?timeout=60s");

    assertThat(said).endsWith("module io.firn.zookeeper: APPLIED");
  }

  @Test
  void addressThatMakesNoSenseIsRefused() {
    Map<String, String> wrong =
        Map.of(
            "zookeeper:",
                "store: zookeeper: (expected: HOST or HOST:PORT after //, separated by"
                    + " commas)",
            "zookeeper://h?x=1",
                "x: in zookeeper://h?x=*** (expected: one of ca-file, cert-file, acl, timeout, user,"
                    + " password, password-env, password-file)",
            "zookeeper://h/a/",
                "store: zookeeper://h/a/ (expected: the path of a node; Path must not end with /"
                    + " character)",
            "zookeeper://u@h",
                "store: zookeeper://***@h (expected: both a user and a password, or neither)",
            "zookeeper://:secret@h",
                "store: zookeeper://***@h (expected: both a user and a password, or neither)",
            "zookeeper://h?ca-file=/dev/null",
                "store: zookeeper://h?ca-file=/dev/null (expected: ca-file, cert-file and key-file"
                    + " with TLS only)",
            "zookeeper://h?acl=creator", "acl: creator (expected: world without a user)",
            "zookeeper://u:p@h?acl=all", "acl: all (expected: creator or world)",
            "zookeepers://h?ca-file=/no/such", "ca-file: /no/such (expected: a file to read)");

    wrong.forEach(
        (address, message) ->
            assertThatThrownBy(() -> RegisterStore.open(address))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message));
  }
}
