package io.firn.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.AlarmRequest;
import io.etcd.jetcd.api.AlarmRequest.AlarmAction;
import io.etcd.jetcd.api.AlarmType;
import io.etcd.jetcd.api.CompactionRequest;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KVGrpc.KVBlockingStub;
import io.etcd.jetcd.api.MaintenanceGrpc;
import io.etcd.jetcd.api.MaintenanceGrpc.MaintenanceBlockingStub;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RangeResponse;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.TxnRequest;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import io.firn.testkit.LogLines;
import io.firn.testkit.TestThreads;
import io.firn.testservers.EtcdServers;
import io.firn.testservers.ModularApplication;
import io.firn.testservers.TlsProxy;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Tests of what only etcd does. */
@NeedsEtcd
class EtcdStoreTest {

  private static final int AT_ONCE = 100;
  private static final int WRITERS = 64;

  /** More than etcd has space for. */
  private static final int MAX_WRITES = 1_000;

  private static EtcdServers servers;
  private static ManagedChannel channel;
  private static KVBlockingStub operator;

  @BeforeAll
  static void start() {
    servers = EtcdServers.start(1);
    channel =
        Grpc.newChannelBuilder(
                "127.0.0.1:" + servers.address(0).getPort(), InsecureChannelCredentials.create())
            .build();
    operator = KVGrpc.newBlockingStub(channel);
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    servers.close();
  }

  private static RegisterStore open(String rest) {
    return RegisterStore.open(
        "etcd://127.0.0.1:" + servers.address(0).getPort() + rest + "?timeout=20s");
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  @Test
  void registerIsAKeyThatAnOperatorCanRead() {
    Map<String, String> prefixes =
        Map.of(
            "", "firn/", "/", "firn/", "/ids/prod", "ids/prod/", "/ids/", "ids/", "//ids", "/ids/");
    prefixes.forEach(
        (path, prefix) -> {
          try (RegisterStore store = open(path)) {
            long version = store.read("orders/worker/17").map(Register::version).orElse(0L);
            long written = store.compareAndSet("orders/worker/17", version, path).version();

            RangeRequest get =
                RangeRequest.newBuilder().setKey(bytes(prefix + "orders/worker/17")).build();
            RangeResponse found = operator.range(get);
            assertThat(found.getKvs(0).getValue().toStringUtf8()).isEqualTo(path);
            assertThat(found.getKvs(0).getModRevision()).isEqualTo(written);
          }
        });
  }

  @Test
  void prefixesDoNotSeeEachOthersRegisters() {
    try (RegisterStore one = open("/one");
        RegisterStore other = open("/one0")) {
      one.compareAndSet("orders/layout", 0, "x");

      assertThat(other.read("orders/layout")).isEmpty();
      assertThat(other.scan("")).isEmpty();
      assertThat(one.scan("")).hasSize(1);
    }
  }

  @Test
  void scanReadsEveryPage() {
    try (RegisterStore store = open("/pages")) {
      int count = 0;
      for (int registers : new int[] {999, 1_000, 1_001, 2_001}) {
        for (; count < registers; count = Math.min(registers, count + AT_ONCE)) {
          putMany("pages/many/", count, Math.min(registers, count + AT_ONCE));
        }
        assertThat(store.scan("many/"))
            .as(registers + "")
            .hasSize(registers)
            .doesNotHaveDuplicates();
      }
    }
  }

  private static void putMany(String prefix, int from, int to) {
    TxnRequest.Builder puts = TxnRequest.newBuilder();
    for (int i = from; i < to; i++) {
      PutRequest put = PutRequest.newBuilder().setKey(bytes(prefix + i)).build();
      puts.addSuccess(RequestOp.newBuilder().setRequestPut(put));
    }
    operator.txn(puts.build());
  }

  @Test
  void moreRegistersAreReadThanOneTransactionTakes() {
    putMany("reads/r", 0, 100);
    putMany("reads/r", 100, 200);
    putMany("reads/r", 200, 260);
    try (RegisterStore store = open("/reads")) {
      for (int count : new int[] {0, 127, 128, 129, 257}) {
        List<String> names = IntStream.range(0, count).mapToObj(i -> "r" + i).toList();
        assertThat(store.readAll(names))
            .extracting(Register::name)
            .containsExactlyInAnyOrderElementsOf(names);
      }
    }
  }

  @Test
  void compactionTakesNothingAway() {
    try (RegisterStore store = open("/compact")) {
      long first = store.compareAndSet("a", 0, "x").version();
      long last = store.compareAndSet("b", 0, "y").version();
      operator.compact(CompactionRequest.newBuilder().setRevision(last).setPhysical(true).build());

      assertThat(store.read("a")).contains(new Register("a", first, "x"));
      assertThat(store.scan("")).hasSize(2);
      assertThat(store.compareAndSet("a", first, "z").outcome()).isEqualTo(Outcome.APPLIED);
      assertThat(store.compareAndSet("a", first, "late")).isEqualTo(WriteResult.CONFLICT);
    }
  }

  @Test
  void registerThatWasDeletedNeverComesBackToAVersionThatItHad() {
    try (RegisterStore store = open("/deleted")) {
      long first = store.compareAndSet("a", 0, "x").version();
      operator.deleteRange(DeleteRangeRequest.newBuilder().setKey(bytes("deleted/a")).build());

      assertThat(store.compareAndSet("a", first, "late")).isEqualTo(WriteResult.CONFLICT);
      assertThat(store.compareAndSet("a", 0, "y").version()).isGreaterThan(first);
    }
  }

  @Test
  void serverIsTrustedOverTlsIfItsCertificateAndItsNameAreRight() {
    try (TlsProxy proxy = TlsProxy.to(servers.address(0))) {
      String ca = "&ca-file=" + proxy.certificate();
      String own = "&cert-file=" + proxy.certificate() + "&key-file=" + proxy.key();
      String address = "localhost:" + proxy.port() + "/tls?timeout=20s";
      try (RegisterStore store = RegisterStore.open("etcds://" + address + ca + own)) {
        assertThat(store.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
        assertThat(store.read("a")).isPresent();
      }
      for (String wrong :
          new String[] {
            "etcds://" + address.replace("localhost", "127.0.0.1") + ca + own,
            "etcds://" + address + own,
            "etcds://" + address + ca,
            "etcd://" + address
          }) {
        try (RegisterStore store = RegisterStore.open(wrong)) {
          assertThatThrownBy(() -> store.read("a"))
              .as(wrong)
              .isInstanceOf(StoreException.class)
              .hasMessageMatching(
                  ".*(No subject alternative names matching IP address 127.0.0.1 found"
                      + "|unable to find valid certification path to requested target"
                      + "|Received fatal alert: (bad_certificate|certificate_required)"
                      + "|First received frame was not SETTINGS.*)");
        }
      }
    }
  }

  @Test
  void callFailsAtOnceWithTheReasonIfNoServerListens() {
    try (RegisterStore store = RegisterStore.open("etcd://127.0.0.1:1,[::1]:1?timeout=60s")) {
      String message =
          "Store etcd://127.0.0.1:1,\\[::1]:1\\?timeout=60s failed after"
              + " \\d{1,5} ms: UNAVAILABLE: .*Connection refused: .*:1";
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageMatching(message);
      assertThatThrownBy(() -> store.compareAndSet("a", 0, "x"))
          .isInstanceOf(StoreException.class)
          .hasMessageMatching(message);
    }
  }

  /** Etcd applies the writes that wait while it becomes full, and refuses them all the same. */
  @Test
  void noWriteIsAppliedThatFailsWhileEtcdBecomesFull() throws Exception {
    Set<String> failed = ConcurrentHashMap.newKeySet();
    Set<String> unknown = ConcurrentHashMap.newKeySet();
    try (EtcdServers full = EtcdServers.start(1, "--quota-backend-bytes", "4000000");
        RegisterStore store =
            RegisterStore.open(
                "etcd://127.0.0.1:" + full.address(0).getPort() + "/full?timeout=20s")) {
      String value = "x".repeat(10_000);
      TestThreads writers = new TestThreads();
      for (int writer = 0; writer < WRITERS; writer++) {
        String prefix = writer + "/";
        writers.start(
            () -> {
              for (int i = 0; i < MAX_WRITES; i++) {
                String name = prefix + i;
                try {
                  if (store.compareAndSet(name, 0, value).equals(WriteResult.UNKNOWN)) {
                    unknown.add(name);
                    return;
                  }
                } catch (StoreException e) {
                  failed.add(name);
                  return;
                }
              }
            });
      }
      writers.join();
      assertThat(store.scan("")).extracting(Register::name).noneMatch(failed::contains);
      assertThat(unknown).isNotEmpty();
    }
  }

  @Test
  void writeThatEtcdHasNoSpaceForIsUnknownAndLogged() {
    MaintenanceBlockingStub maintenance = MaintenanceGrpc.newBlockingStub(channel);
    AlarmRequest alarm = AlarmRequest.newBuilder().setAlarm(AlarmType.NOSPACE).build();
    try (RegisterStore store = open("/full");
        LogLines log = new LogLines(EtcdRegisterStore.class.getName())) {
      maintenance.alarm(alarm.toBuilder().setAction(AlarmAction.ACTIVATE).build());
      assertThat(store.compareAndSet("a", 0, "x")).isEqualTo(WriteResult.UNKNOWN);
      assertThat(log.messages())
          .singleElement()
          .asString()
          .matches(
              "Store etcd://.* did not report the outcome of a write in \\d+ ms:"
                  + " RESOURCE_EXHAUSTED: etcdserver: mvcc: database space exceeded");
      assertThat(store.read("a")).isEmpty();
    } finally {
      maintenance.alarm(alarm.toBuilder().setAction(AlarmAction.DEACTIVATE).build());
    }
  }

  @Test
  void threadsOfTheClientKeepNoProcessAlive() {
    try (RegisterStore store = open("/daemon")) {
      store.read("a");
      assertThat(Thread.getAllStackTraces().keySet())
          .filteredOn(thread -> thread.getName().startsWith("grpc"))
          .isNotEmpty()
          .allMatch(Thread::isDaemon);
    }
  }

  @Test
  void moduleFindsItsClientOnTheClassPath() throws Exception {
    String said =
        ModularApplication.run(
            "io.firn.etcd",
            EtcdStoreProvider.class,
            "etcd://127.0.0.1:" + servers.address(0).getPort() + "/modules?timeout=60s");

    assertThat(said).endsWith("module io.firn.etcd: APPLIED");
  }

  @Test
  void addressThatMakesNoSenseIsRefused() {
    Map<String, String> wrong =
        Map.of(
            "etcd:",
            "store: etcd: (expected: HOST or HOST:PORT after //, separated by commas)",
            "etcd://h?x=1",
            "x: in etcd://h?x=*** (expected: one of ca-file, cert-file, key-file, timeout, user,"
                + " password, password-env, password-file)",
            "etcd://u@h",
            "store: etcd://***@h (expected: both a user and a password, or neither)",
            "etcd://h?ca-file=/dev/null",
            "store: etcd://h?ca-file=/dev/null (expected: ca-file, cert-file and key-file with TLS"
                + " only)",
            "etcds://h?cert-file=/dev/null",
            "store: etcds://h?cert-file=/dev/null (expected: cert-file and key-file together)",
            "etcds://h?ca-file=/no/such",
            "ca-file: /no/such (expected: a file to read)");

    wrong.forEach(
        (address, message) ->
            assertThatThrownBy(() -> RegisterStore.open(address))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(message));
  }
}
