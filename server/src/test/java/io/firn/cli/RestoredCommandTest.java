package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.internal.IsoTime;
import io.firn.lease.AfterLoss;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.lease.Namespace.Mark;
import io.firn.segment.RegisterSegments;
import io.firn.segment.Segment;
import io.firn.segment.SegmentRefusedException;
import io.firn.store.RegisterStore;
import io.firn.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.RestoreParams;

final class RestoredCommandTest {

  private static final String KEY = "firn:registers";

  private final Session session = new Session();

  private static String address(RedisServer redis) {
    return "redis://127.0.0.1:" + redis.port() + "?may-forget=false&timeout=15s";
  }

  /** Leases a worker, gives it back, and returns the time of the ID that was issued. */
  private static Instant firstId(RegisterStore store, long worker) {
    LeaseConfig lease = LeaseConfig.builder(store, "orders").worker(worker).build();
    try (Snowflake snowflake = Snowflake.builder().lease(lease).build()) {
      return IdLayout.CLASSIC.parse(snowflake.nextId()).instant();
    }
  }

  @Test
  void newProcessesBeginPastTheSettlingTimeAfterABackupWasPlayedBack() {
    try (RedisServer redis = RedisServer.start();
        Jedis jedis = new Jedis("127.0.0.1", redis.port());
        RegisterStore store = RegisterStore.open(address(redis))) {
      firstId(store, 8);
      byte[] backup = jedis.dump(KEY);
      firstId(store, 7);

      jedis.restore(KEY, 0, backup, RestoreParams.restoreParams().replace());
      Instant unnoticed = firstId(store, 7);
      assertThat(unnoticed).isBeforeOrEqualTo(Instant.now());

      jedis.restore(KEY, 0, backup, RestoreParams.restoreParams().replace());
      assertThat(session.run("store", "restored", address(redis))).as(session.err()).isZero();
      Mark mark = Namespace.of(store, "orders").mark().orElseThrow();
      assertThat(session.out())
          .isEqualTo(
              "orders: new mark since "
                  + IsoTime.utc(mark.since())
                  + "; new processes lead until "
                  + IsoTime.utc(mark.settledAt())
                  + ", in 1 min\n");
      assertThat(mark.settledAt()).isAfter(unnoticed);
      assertThat(firstId(store, 7)).isAfterOrEqualTo(mark.settledAt());
    }
  }

  @Test
  void countersRefuseAfterABackupWasPlayedBackUntilTheyAreRaised() {
    try (RedisServer redis = RedisServer.start();
        Jedis jedis = new Jedis("127.0.0.1", redis.port());
        RegisterStore store = RegisterStore.open(address(redis))) {
      RegisterSegments.of(store).next("invoices", 10);
      byte[] backup = jedis.dump(KEY);
      RegisterSegments.of(store).next("invoices", 100);

      jedis.restore(KEY, 0, backup, RestoreParams.restoreParams().replace());
      assertThat(session.run("store", "restored", address(redis))).as(session.err()).isZero();
      assertThat(session.out())
          .isEqualTo("invoices: counter refuses until firn segments --raise invoices=N\n");
      RegisterSegments newProcess = RegisterSegments.of(store);
      assertThatThrownBy(() -> newProcess.next("invoices", 10))
          .isInstanceOf(SegmentRefusedException.class)
          .hasMessageContaining(" may have lost numbers of key invoices, whose counter is at 11,");
      assertThat(session.run("segments", "--store", address(redis), "--raise", "invoices=200"))
          .isZero();
      assertThat(newProcess.next("invoices", 10)).isEqualTo(Segment.of(200, 10));
    }
  }

  @Test
  void renewsTheMarkOfOneNamespace() {
    try (RedisServer redis = RedisServer.start();
        RegisterStore store = RegisterStore.open(address(redis))) {
      firstId(store, 7);
      Mark before = Namespace.of(store, "orders").mark().orElseThrow();
      assertThat(session.run("store", "restored", address(redis), "--namespace", "bills"))
          .isEqualTo(2);
      assertThat(session.err())
          .startsWith("firn: namespace: bills (expected: one of the store: [orders])\n");
      assertThat(Namespace.of(store, "orders").mark()).contains(before);
      assertThat(session.run("store", "restored", address(redis), "--namespace", "orders"))
          .isZero();
      assertThat(Namespace.of(store, "orders").mark().orElseThrow().since())
          .isAfter(before.since());
    }
  }

  @Test
  void refusesAStoreWithoutAnIdentity(@TempDir Path directory) {
    assertThat(session.run("store", "restored", "file:" + directory)).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: store: file:" + directory + " (expected: one with an identity; ");
  }

  @Test
  void settlingTimeOfAStoreWithoutAnIdentityIsNotRaised(@TempDir Path directory) {
    String address = "file:" + directory;
    assertThat(session.run("store", "settle-time", address, "3m", "--namespace", "orders"))
        .isEqualTo(2);
    assertThat(session.err()).startsWith("firn: store: " + address + " (expected: one with an id");
  }

  @Test
  void saysThatNewProcessesWaitWhereTheNamespaceHasAgreedOnThat() {
    try (RedisServer redis = RedisServer.start();
        RegisterStore store = RegisterStore.open(address(redis))) {
      LeaseConfig lease =
          LeaseConfig.builder(store, "orders").worker(8).afterLoss(AfterLoss.WAIT).build();
      Snowflake.builder().lease(lease).build().close();
      assertThat(session.run("store", "restored", address(redis))).as(session.err()).isZero();
      Mark mark = Namespace.of(store, "orders").mark().orElseThrow();
      assertThat(session.out())
          .contains("; new processes wait until " + IsoTime.utc(mark.settledAt()) + ", in ");
    }
  }

  @Test
  void saysThatNothingWasLeasedYet() {
    try (RedisServer redis = RedisServer.start()) {
      assertThat(session.run("store", "restored", address(redis))).isZero();
      assertThat(session.out()).isEmpty();
      assertThat(session.err()).startsWith("No worker ID has been leased yet in redis://");
    }
  }

  @Test
  void settlingTimeIsChangedWhileNoWorkerIsHeld() {
    try (RedisServer redis = RedisServer.start();
        RegisterStore store = RegisterStore.open(address(redis))) {
      String[] command = {
        "store", "settle-time", address(redis), "3m", "--namespace", "orders",
      };
      assertThat(session.run(command)).isEqualTo(2);
      assertThat(session.err()).startsWith("firn: namespace: orders (expected: one with a mark; ");
      LeaseConfig lease = LeaseConfig.builder(store, "orders").worker(8).instance("pod").build();
      try (Snowflake snowflake = Snowflake.builder().lease(lease).build()) {
        assertThat(snowflake.leaseStatus()).isPresent();
        assertThat(session.run(command)).isEqualTo(1);
        assertThat(session.err()).contains("\nfirn: Worker 8 of orders is leased to pod, process ");
      }
      assertThat(session.run(command)).as(session.err()).isZero();
      Mark mark = Namespace.of(store, "orders").mark().orElseThrow();
      assertThat(mark.settleTime()).hasMinutes(3);
      assertThat(session.out())
          .isEqualTo(
              "orders: settling time 3 min, new mark since "
                  + IsoTime.utc(mark.since())
                  + "; new processes lead until "
                  + IsoTime.utc(mark.settledAt())
                  + ", in 3 min\n");
      assertThat(session.run(command)).isEqualTo(2);
      assertThat(session.err())
          .contains("\nfirn: settle-time: 180000 ms, after-loss: ahead (expected: another ");
      assertThat(session.run("store", "settle-time", address(redis), "1m", "--namespace", "orders"))
          .isEqualTo(1);
      assertThat(session.err())
          .contains("; try again when the settling time of namespace orders ends");
    }
  }

  @Test
  void afterLossIsChangedOnceTheSettlingTimeIsOver() {
    try (RedisServer redis = RedisServer.start();
        RegisterStore store = RegisterStore.open(address(redis))) {
      Snowflake.builder().lease(LeaseConfig.builder(store, "orders").build()).build().close();
      String[] command = {"store", "after-loss", address(redis), "wait", "--namespace", "orders"};
      assertThat(session.run(command)).as(session.err()).isZero();
      Mark mark = Namespace.of(store, "orders").mark().orElseThrow();
      assertThat(session.out())
          .isEqualTo(
              "orders: settling time 1 min, new mark since "
                  + IsoTime.utc(mark.since())
                  + "; new processes wait until "
                  + IsoTime.utc(mark.settledAt())
                  + ", in 1 min\n");
      assertThat(
              session.run("store", "after-loss", address(redis), "soon", "--namespace", "orders"))
          .isEqualTo(2);
      assertThat(session.err()).contains("after-loss: soon (expected: ahead or wait)");
    }
  }

  @Test
  void showsItsHelpWithoutACommand() {
    assertThat(session.run("store")).isEqualTo(2);
    assertThat(session.err()).startsWith("Usage: firn store ").contains("restored");
  }
}
