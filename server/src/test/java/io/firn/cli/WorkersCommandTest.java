package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.block.IdBlocks;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseKeeper;
import io.firn.store.FileRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WorkersCommandTest {

  private final Session session = new Session();

  @TempDir Path directory;

  private String store() {
    return "file:" + directory;
  }

  /** Leases worker 7 of the namespace orders until 12:00:30. */
  private Snowflake lease() {
    return Snowflake.builder()
        .timeSource(session.time)
        .lease(
            LeaseConfig.builder(FileRegisterStore.open(directory), "orders")
                .instance("pod-\"7\"")
                .worker(7)
                .keeper(LeaseKeeper.manual(session.time))
                .build())
        .build();
  }

  @Test
  void showsWhoHoldsWhatUntilWhen() {
    try (Snowflake held = lease()) {
      assertThat(held.leaseStatus()).isPresent();
      assertThat(session.run("workers", "--store", store())).isZero();
    }
    assertThat(session.out())
        .startsWith("orders: 1 held\n")
        .containsPattern(
            "\n +7  held      2026-11-21T12:00:30.000Z  in 30 s +"
                + ProcessHandle.current().pid()
                + "  pod-\"7\"\n");
  }

  @Test
  void refusesANamespaceThatIsNotThere() {
    lease().close();
    for (String command : new String[] {"workers", "top"}) {
      Session other = new Session();
      assertThat(other.run(command, "--store", store(), "--namespace", "nope")).isEqualTo(2);
      assertThat(other.out()).isEmpty();
      assertThat(other.err())
          .startsWith(
              "firn: namespace: nope (expected: a namespace that a generator has used in "
                  + store()
                  + ")\n");
    }
  }

  @Test
  void showsANamespaceThatHasNoLeaseYet() {
    try (RegisterStore store = FileRegisterStore.open(directory)) {
      store.compareAndSet("orders/layout", 0, layout());
    }
    for (String command : new String[] {"workers", "top"}) {
      assertThat(session.run(command, "--store", store(), "--namespace", "orders"))
          .as(session.err())
          .isZero();
    }
    assertThat(session.out()).startsWith("orders: 0 held\n");
  }

  /** Returns the register that a namespace has before any worker ID. */
  private static String layout() {
    try (RegisterStore store = new InMemoryRegisterStore()) {
      IdBlocks.builder(store, "orders").build().take(1);
      return store.read("orders/layout").orElseThrow().value();
    }
  }

  @Test
  void distinguishesExpiredFromReleased() {
    lease().close();
    assertThat(session.run("workers", "--store", store(), "--namespace", "orders")).isZero();
    assertThat(session.out()).startsWith("orders: 0 held\n").contains("  released  ");
    try (Snowflake left = lease()) {
      assertThat(left.leaseStatus()).isPresent();
      session.time.advance(Duration.ofSeconds(40));
      assertThat(session.run("workers", "--store", store())).isZero();
    }
    assertThat(session.out()).contains("  expired   2026-11-21T12:00:30");
  }

  @Test
  void showsAWorkerOfABlockUntilItsTimesAreOver() {
    try (RegisterStore store = FileRegisterStore.open(directory)) {
      IdBlocks.builder(store, "orders").timeSource(session.time).build().take(4096 * 60_000);
    }
    assertThat(session.run("workers", "--store", store())).isZero();
    assertThat(session.out())
        .startsWith("orders: 0 held, 1 with blocks of IDs\n")
        .containsPattern("\n +[0-9]+  block     2026-11-21T12:01:00.000Z  in 1 min");
    assertThat(session.run("workers", "--store", store(), "--json")).isZero();
    assertThat(session.out()).contains("\"state\":\"block\"");
    session.time.advance(Duration.ofMinutes(1));
    assertThat(session.run("workers", "--store", store())).isZero();
    assertThat(session.out()).contains("orders: 0 held\n").contains("  released  ");
  }

  @Test
  void writesOneJsonObjectALine() {
    try (Snowflake held = lease()) {
      assertThat(held.leaseStatus()).isPresent();
      assertThat(session.run("workers", "--store", store(), "--json")).isZero();
    }
    assertThat(session.out())
        .isEqualTo(
            "{\"namespace\":\"orders\",\"worker\":7,\"state\":\"held\","
                + "\"holder\":\"pod-\\\"7\\\"\",\"pid\":"
                + ProcessHandle.current().pid()
                + ",\"fence\":\"2026-11-21T12:00:30.000Z\",\"left_ms\":30000,\"own\":false,"
                + "\"since\":\"2026-11-21T12:00:00.000Z\",\"lead_ms\":null,"
                + "\"since_renewal_ms\":null,\"leads_until\":null}\n");
  }

  @Test
  void showsTheMarkWhereTheStoreHasAnIdentity() {
    try (RedisServer redis = RedisServer.start()) {
      String address = "redis://127.0.0.1:" + redis.port() + "?timeout=20s";
      try (RegisterStore store = RegisterStore.open(address);
          Snowflake held =
              Snowflake.builder()
                  .lease(LeaseConfig.builder(store, "orders").window(Duration.ofMinutes(2)).build())
                  .build()) {
        assertThat(held.leaseStatus()).isPresent();
        String time = "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z";
        session.time.step(Duration.ofDays(-9_000));
        assertThat(session.run("workers", "--store", address)).isZero();
        assertThat(session.out())
            .containsPattern(
                "^orders: 1 held\nmark since "
                    + time
                    + ", settling time 2 min 15 s, after-loss ahead: new processes lead until "
                    + time
                    + ", in [^\n]*\n    worker  state [^\n]*\n.* held .*, leads by [^\n]*\n$");
        assertThat(session.run("workers", "--store", address, "--json")).isZero();
        assertThat(session.out()).containsPattern(",\"leads_until\":\"" + time + "\"}\n$");
        session.time.step(Duration.ofDays(20_000));
        assertThat(session.run("workers", "--store", address)).isZero();
        assertThat(session.out())
            .contains(", after-loss ahead: new processes begin at once\n")
            .containsPattern(" expired [^,]*\n$");
      }
    }
  }

  @Test
  void colorsByState() {
    session.colored();
    try (Snowflake held = lease()) {
      assertThat(held.leaseStatus()).isPresent();
      assertThat(session.run("workers", "--store", store())).isZero();
    }
    assertThat(session.out()).contains("\u001b[32m");
  }

  @Test
  void saysThatNothingWasLeasedYet() {
    assertThat(session.run("workers", "--store", store())).isZero();
    assertThat(session.out()).isEmpty();
    assertThat(session.err()).startsWith("No worker ID has been leased yet in file:");
  }

  @Test
  void nextLeasesAPinnedWorkerAndGivesItBack() {
    assertThat(
            session.run(
                "next",
                "--store",
                store(),
                "--layout",
                "twitter",
                "--datacenter",
                "3",
                "--worker",
                "9"))
        .isZero();
    long id = Long.parseLong(session.out().strip());
    assertThat(IdLayout.TWITTER.parse(id).datacenter()).isEqualTo(3);
    assertThat(IdLayout.TWITTER.parse(id).worker()).isEqualTo(9);
    assertThat(session.run("workers", "--store", store())).isZero();
    assertThat(session.out()).contains("twitter: 0 held\n").contains("       105  released");
  }

  @Test
  void refusesAStoreThatItDoesNotKnow() {
    assertThat(session.run("workers", "--store", "tape://u:secret@host")).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: store: tape://***@host (expected: one of file:DIR, memory:");
    assertThat(session.run("next", "--store", "file:")).isEqualTo(2);
    assertThat(session.err()).contains("firn: store: file: (expected: file:DIR)\n");
  }

  @Test
  void refusesHalfOfAPinnedWorker() {
    assertThat(session.run("next", "--store", store(), "--layout", "twitter", "--worker", "9"))
        .isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: datacenter: not set (expected: both datacenter and worker)\n");
  }
}
