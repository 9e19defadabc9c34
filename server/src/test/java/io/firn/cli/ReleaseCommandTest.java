package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseKeeper;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.ManualTimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReleaseCommandTest {

  private final Session session = new Session();
  private RegisterStore store;
  private long newest;

  @TempDir Path directory;

  /** A process whose clock was a year ahead has issued an ID as worker 7 and died. */
  @BeforeEach
  void crashAYearAhead() {
    store = FileRegisterStore.open(directory);
    ManualTimeSource time = new ManualTimeSource(Instant.now().plus(Duration.ofDays(365)));
    newest =
        Snowflake.builder()
            .timeSource(time)
            .lease(
                LeaseConfig.builder(store, "orders")
                    .instance("pod-7")
                    .worker(7)
                    .keeper(LeaseKeeper.manual(time))
                    .build())
            .build()
            .nextId();
  }

  private int release(String... more) {
    String[] all = new String[more.length + 6];
    String[] first = {
      "workers", "release", "--store", "file:" + directory, "--namespace", "orders"
    };
    System.arraycopy(first, 0, all, 0, first.length);
    System.arraycopy(more, 0, all, first.length, more.length);
    return session.run(all);
  }

  private WorkerEntry entry() {
    return Namespace.of(store, "orders").workers().get(0);
  }

  @Test
  void releasesAWorkerAndKeepsItsFence() {
    Instant fence = entry().fence();

    assertThat(release("7")).as(session.err()).isZero();

    assertThat(session.out())
        .startsWith("orders: worker 7 of pod-7, process " + ProcessHandle.current().pid())
        .contains(", is released, and free from 2");
    assertThat(entry().held()).isFalse();
    assertThat(entry().fence()).isEqualTo(fence);
  }

  @Test
  void lowersAFenceToTheNewestId() {
    assertThat(release("7", "--newest-id", Long.toString(newest))).as(session.err()).isZero();

    assertThat(entry().fence()).isEqualTo(IdLayout.CLASSIC.parse(newest).instant().plusMillis(1));
  }

  @Test
  void lowersAFenceToAWindowAheadIfNoIdWasIssued() {
    Instant before = Instant.now();

    assertThat(release("7", "--newest-id", "none")).as(session.err()).isZero();

    assertThat(entry().fence()).isBetween(before.plusSeconds(34), Instant.now().plusSeconds(36));
  }

  @Test
  void refusesWhatCannotBeRight() {
    for (String number : new String[] {"0x12", "+12", "\u0661"}) {
      assertThat(release("7", "--newest-id", number)).isEqualTo(2);
      assertThat(session.err())
          .contains("firn: newest-id: " + number + " (expected: a decimal ID, or none)\n");
    }
    long other = newest ^ (1L << 12);
    assertThat(release("7", "--newest-id", Long.toString(other))).isEqualTo(2);
    assertThat(session.err())
        .contains(
            "newest-id: "
                + other
                + " (expected: an ID of worker 7, which is not reserved; it is of 6)\n");
    assertThat(release("8")).isEqualTo(2);
    assertThat(session.err())
        .contains("worker: 8 (expected: one that was leased in namespace orders)\n");
    assertThat(session.run("workers", "release", "7")).isEqualTo(2);
    assertThat(session.err()).contains("namespace: none (expected: --namespace=NAME)");
    assertThat(entry().held()).isTrue();
  }

  @Test
  void explainsTheDangerInItsHelp() {
    assertThat(session.run("workers", "release", "--help")).isZero();
    assertThat(session.out()).contains("DANGER");
  }
}
