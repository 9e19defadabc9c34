package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.block.IdBlocks;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.FileRegisterStore;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ReserveCommandTest {

  @TempDir Path directory;

  private RegisterStore store;

  @BeforeEach
  void open() {
    store = FileRegisterStore.open(directory);
  }

  private Session run(int code, String... arguments) {
    List<String> all = new ArrayList<>(List.of("workers"));
    all.addAll(Arrays.asList(arguments));
    all.addAll(List.of("--store", "file:" + directory));
    Session session = new Session();
    assertThat(session.run(all.toArray(String[]::new))).as(session.err()).isEqualTo(code);
    return session;
  }

  private Session reserve(int code, String workers, String... more) {
    List<String> all = new ArrayList<>(List.of("reserve", workers, "--namespace", "orders"));
    all.addAll(List.of("--for", "old Leaf"));
    all.addAll(Arrays.asList(more));
    return run(code, all.toArray(String[]::new));
  }

  @Test
  void reservesWorkersAndShowsAndReleasesThem() {
    assertThat(reserve(0, "0-1,7", "--layout", "leaf").out())
        .isEqualTo("orders: 3 worker IDs are reserved for old Leaf: 0-1,7\n");
    assertThat(run(0).out())
        .startsWith("orders: 0 held, 3 reserved\n")
        .containsPattern("(?m)^ +7  reserved +without end +old Leaf$");
    assertThat(run(0, "--json").out())
        .contains(
            "\"worker\":7,\"state\":\"reserved\",\"holder\":\"old Leaf\",\"pid\":0,"
                + "\"fence\":\"9999-12-31T23:59:59.999Z\"");
    assertThat(reserve(0, "0-1", "--until", "2099-01-01").out())
        .endsWith(
            "old Leaf until 2099-01-01T00:00:00.000Z: 0-1; some were reserved for longer before,"
                + " and stay so\n");

    Instant last = Instant.now().plus(Duration.ofMinutes(5)).plusMillis(7);
    String newest = Long.toString(IdLayout.LEAF.minId(last));
    assertThat(run(0, "release", "0-1", "--namespace", "orders", "--newest-id", newest).out())
        .startsWith("orders: worker 0, reserved for old Leaf, is released, and free from ")
        .contains("\norders: worker 1, reserved for old Leaf, is released, and free from ");
    String again = run(0, "release", "0-1", "--namespace", "orders", "--newest-id", newest).out();
    assertThat(again).contains("worker 1, reserved for old Leaf, is released, and free from ");
    assertThat(run(0).out()).containsPattern("(?m)^ +1  reserved +2.* old Leaf$");
    List<WorkerEntry> workers = Namespace.of(store, "orders").workers();
    assertThat(workers.get(0).fence()).isAfter(last).isEqualTo(workers.get(1).fence());
    assertThat(workers.get(2).reserved()).isTrue();
  }

  /** The other system knows nothing of a change of the namespace's layout. */
  @Test
  void readsTheNewestIdByTheLayoutOfTheReservation() {
    assertThat(reserve(0, "5", "--layout", "leaf").err()).isEmpty();
    IdLayout later = IdLayout.of("46t+10w+7s@2026-01-01T00:00:00Z/1ms");
    Register layout = store.read("orders/layout").orElseThrow();
    String changed =
        "firn-namespace/4 layout="
            + IdLayout.LEAF
            + " next="
            + later
            + " from=2026-02-01T00:00:00Z"
            + " state=fixed change=1";
    store.compareAndSet(layout.name(), layout.version(), changed);
    assertThat(Namespace.of(store, "orders").layout()).contains(later);

    Instant last = Instant.now().plus(Duration.ofMinutes(5));
    String newest = Long.toString(IdLayout.LEAF.minId(last) | 5 << 12);
    assertThat(run(0, "release", "5", "--namespace", "orders", "--newest-id", newest).out())
        .startsWith("orders: worker 5, reserved for old Leaf, is released, and free from ");
    assertThat(Namespace.of(store, "orders").workers().get(0).fence())
        .isBetween(last, last.plusMillis(2));
  }

  @Test
  void refusesOneNewestIdForWorkersOfTwoLayouts() {
    assertThat(reserve(0, "5", "--layout", "leaf").err()).isEmpty();
    IdLayout other = IdLayout.of("46t+10w+7s@2026-01-01T00:00:00Z/1ms");
    Register five = store.read("orders/worker/5").orElseThrow();
    String text = five.value().replace(IdLayout.LEAF.toString(), other.toString());
    store.compareAndSet("orders/worker/6", 0, text);
    assertThat(run(2, "release", "5-6", "--namespace", "orders", "--newest-id", "7").err())
        .startsWith(
            "firn: workers: 5-6 (expected: those of one layout, by which the newest ID is read; they"
                + " have "
                + IdLayout.LEAF
                + ", "
                + other
                + ")");
  }

  @Test
  void reservesNothingIfOneIsNotFree() {
    try (Snowflake held =
        Snowflake.builder()
            .lease(LeaseConfig.builder(store, "orders").instance("pod-7").worker(7).build())
            .build()) {
      assertThat(held.nextId()).isPositive();
      assertThat(reserve(1, "5-9").err())
          .startsWith(
              "firn: Worker 7 of orders is leased to pod-7, process "
                  + ProcessHandle.current().pid()
                  + "; it is free at ");
      assertThat(Namespace.of(store, "orders").workers()).hasSize(1);
    }
  }

  @Test
  void reservesNothingIfOneHasABlockOfIds() {
    long worker = IdBlocks.of(store, "orders").take(4096L * 60_000).workers().get(0);

    assertThat(reserve(1, (worker - 3) + "-" + worker).err())
        .startsWith("firn: Worker " + worker + " of orders has a block of IDs, reserved by ")
        .contains("; it is free at ");
    assertThat(Namespace.of(store, "orders").workers()).hasSize(1);
  }

  @Test
  void refusesWhatCannotBeReserved() {
    assertThat(reserve(2, "5").err())
        .startsWith(
            "firn: layout: not set (expected: the layout of orders, which is a new namespace)\n");
    assertThat(reserve(2, "1024", "--layout", "classic").err())
        .startsWith("firn: workers: 1024 (expected: within 0-1023, ");
    assertThat(reserve(2, "5", "--layout", "classic", "--until", "2020-01-01").err())
        .startsWith("firn: until: 2020-01-01T00:00:00Z (expected: after ");
    assertThat(reserve(0, "5", "--layout", "classic").err()).isEmpty();
    assertThat(run(2, "reserve", "6", "--namespace", "orders", "--for", "").err())
        .startsWith("firn: for:  (expected: 1..100 visible ASCII characters and spaces)\n");
    assertThat(run(2, "release", "5-6", "--namespace", "orders", "--newest-id", "none").err())
        .startsWith("firn: worker: 6 (expected: one that was leased in namespace orders)\n");
    assertThat(Namespace.of(store, "orders").workers().get(0).fence()).isEqualTo(WorkerEntry.NEVER);
    String future = Long.toString(IdLayout.CLASSIC.minId(Instant.now().plus(Duration.ofDays(9))));
    assertThat(run(2, "release", "5", "--namespace", "orders", "--newest-id", future).err())
        .startsWith("firn: newest-id: ")
        .contains("(expected: at most a day past the store's clock, ");
    assertThat(reserve(1, "6", "--layout", "leaf").err())
        .startsWith("firn: Namespace orders has layout ");
    assertThat(run(2, "release", "5", "--namespace", "orders").err())
        .startsWith(
            "firn: worker: 5 (expected: a held one; it is reserved for old Leaf, whose newest ID"
                + " must be given)\n");
  }

  @Test
  void helpsInUnderThirtyLines() {
    Session session = new Session();
    assertThat(session.run("workers", "reserve", "--help")).isZero();
    assertThat(session.out().lines().count()).isLessThan(30);
    assertThat(session.out()).contains("--allow-may-forget");
  }
}
