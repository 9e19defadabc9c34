package io.firn.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import io.firn.lease.Namespace;
import io.firn.lease.NoFreeWorkerException;
import io.firn.lease.WorkerEntry;
import io.firn.segment.RegisterSegments;
import io.firn.segment.Segment;
import io.firn.segment.SegmentEntry;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The part of the contract that leases workers and counts segments over a store. */
abstract class LeaseContract extends StoreFixture {

  private static final IdLayout LAYOUT = IdLayout.of("41t+3w+19s@2026-01-01T00:00:00Z/1ms");
  private static final IdLayout PAIR = IdLayout.of("41t+1w+21s@2026-01-01T00:00:00Z/1ms");

  @Test
  void manyNamespacesShareAStore() {
    for (int i = 0; i < 20; i++) {
      String namespace = word() + "-" + i;
      try (Snowflake snowflake =
          Snowflake.builder().layout(LAYOUT).lease(new Untimed(store()), namespace).build()) {
        snowflake.nextId();
      }
      assertEquals(1, Namespace.of(store(), namespace).workers().size());
      assertEquals(Optional.of(LAYOUT), Namespace.of(store(), namespace).layout());
    }
    assertEquals(
        20, Namespace.names(store()).stream().filter(name -> name.startsWith(word())).count());
  }

  /** Records of release 0.1 stay readable in every store. */
  @Test
  void recordsOfEveryReleaseAreReadAndLeasedFrom() throws Exception {
    write(word() + "/layout", 0, record("namespace-1"));
    write(word() + "/worker/3", 0, record("worker-1-held"));
    write(word() + "/worker/4", 0, record("worker-1-released"));
    Optional<Instant> since = Optional.of(Instant.parse("2026-10-31T23:12:00.456Z"));
    Instant fence = Instant.parse("2026-11-01T00:00:30.123Z");
    WorkerEntry held = entry(3, true, since, fence);
    WorkerEntry released = entry(4, false, since, Instant.parse("2026-11-01T00:00:07.001Z"));

    Namespace namespace = Namespace.of(store(), word());
    assertEquals(Optional.of(IdLayout.CLASSIC), namespace.layout());
    assertEquals(List.of(held, released), namespace.workers());
    for (WorkerEntry before : List.of(held, released)) {
      LeaseConfig lease =
          LeaseConfig.builder(new Untimed(openAnother()), word())
              .worker(before.worker())
              .instance("new")
              .build();
      try (Snowflake snowflake =
          Snowflake.builder().layout(IdLayout.CLASSIC).lease(lease).build()) {
        Instant time = IdLayout.CLASSIC.parse(snowflake.nextId()).instant();
        assertFalse(time.isBefore(before.fence()), () -> time + " of " + before);
      }
    }
    assertTrue(namespace.workers().stream().allMatch(now -> now.holder().equals("new")));
    write(word() + "/segment", 0, record("segment-1"));
    RegisterSegments counters = RegisterSegments.of(new Counting(store()));
    assertEquals(51_000, counters.raise(word(), 51_000));
    assertEquals(Segment.of(51_000, 10), counters.next(word(), 10));
  }

  private static WorkerEntry entry(
      long worker, boolean held, Optional<Instant> since, Instant fence) {
    return new WorkerEntry(
        worker,
        held,
        since,
        fence,
        "host-0",
        4711,
        false,
        false,
        Optional.empty(),
        Optional.empty());
  }

  /** A reservation has a record of its own, with the name of the other system in it. */
  @Test
  void reservedWorkersAreNotLeasedUntilTheyAreReleased() throws Exception {
    String other = "old Leaf & 1 %20 more";
    Namespace namespace = Namespace.of(openAnother(), word());
    if (store().mayForget()) {
      assertThrows(
          UnsupportedOperationException.class,
          () -> namespace.reserve(0, PAIR, other, WorkerEntry.NEVER, false));
      return;
    }
    WorkerEntry reserved = namespace.reserve(0, PAIR, other, WorkerEntry.NEVER, false);
    assertEquals(List.of(reserved), namespace.workers());
    assertEquals(other, reserved.holder());
    assertEquals(WorkerEntry.NEVER, reserved.fence());
    RegisterStore client = new Untimed(store());
    try (Snowflake snowflake = Snowflake.builder().layout(PAIR).lease(client, word()).build()) {
      assertEquals(1, PAIR.parse(snowflake.nextId()).worker());
      NoFreeWorkerException refused =
          assertThrows(
              NoFreeWorkerException.class,
              Snowflake.builder().layout(PAIR).lease(client, word())::build);
      assertTrue(("" + refused.getMessage()).contains("1 are reserved"), refused::toString);
    }
    WorkerEntry released = namespace.release(0, Instant.EPOCH);
    assertEquals(released, namespace.workers().get(0));
    assertTrue(released.fence().isBefore(WorkerEntry.NEVER), released::toString);
    assertEquals(other, released.holder());
  }

  @Test
  void countersBeginWithWhatTheyAreRaisedTo() throws Exception {
    RegisterSegments counters = RegisterSegments.of(new Counting(store()));
    counters.raise(word(), 7);
    assertEquals(Segment.of(7, 1), counters.next(word(), 1));
    assertEquals(
        List.of(8L),
        counters.entries().stream()
            .filter(counter -> counter.key().equals(word()))
            .map(SegmentEntry::next)
            .toList());
  }

  private static String record(String name) throws IOException {
    try (InputStream in = LeaseContract.class.getResourceAsStream("records/" + name)) {
      return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void segmentsOfSeveralProcessesAreHandedOutOnceAndLeaveNothingOut() throws Exception {
    int processes = 4;
    int each = 20;
    Set<Segment> segments = ConcurrentHashMap.newKeySet();
    TestThreads threads = new TestThreads();
    for (int i = 0; i < processes; i++) {
      RegisterSegments source = RegisterSegments.of(new Counting(openAnother()));
      source.raise(word(), 1);
      threads.start(
          () -> {
            for (int j = 0; j < each; j++) {
              segments.add(source.next(word(), 10));
            }
          });
    }
    threads.join();
    Set<Segment> all =
        LongStream.range(0, (long) processes * each)
            .mapToObj(i -> Segment.of(1 + 10 * i, 10))
            .collect(Collectors.toSet());
    assertEquals(all, segments);
  }

  @Test
  void generatorsThatComeAndGoIssueNoIdTwice() throws Exception {
    int generators = 6;
    Map<String, Set<Long>> kept = new ConcurrentHashMap<>();
    try (IdHistory history = new IdHistory(generators, 24L << 20)) {
      TestThreads threads = new TestThreads();
      for (int i = 0; i < generators; i++) {
        IdHistory.Writer writer = history.newWriter();
        RegisterStore client = openAnother();
        String instance = "contract-" + i;
        Set<Long> workers = ConcurrentHashMap.newKeySet();
        kept.put(instance, workers);
        threads.start(() -> comeAndGo(client, writer, instance, workers));
      }
      threads.join();
      IdHistory.Report report = history.finish();
      assertEquals(0, report.duplicates(), report::toString);
      assertTrue(report.count() >= generators * 60L * 100, report::toString);
    }
    for (WorkerEntry worker : Namespace.of(store(), word()).workers()) {
      boolean mayBeHeld = kept.getOrDefault(worker.holder(), Set.of()).contains(worker.worker());
      assertTrue(!worker.held() || mayBeHeld, () -> worker + "; not released: " + kept);
    }
  }

  /**
   * Runs three generators in a row, each for longer than two of its windows.
   *
   * @param kept the worker IDs that they leased and did not release: on a slow machine a window
   *     ends before it is extended, another worker ID is leased, and the first one stays held
   */
  private void comeAndGo(
      RegisterStore client, IdHistory.Writer writer, String instance, Set<Long> kept) {
    RegisterStore untimed = new Untimed(client);
    long[] ids = new long[100];
    for (int life = 0; life < 3; life++) {
      LeaseConfig lease =
          LeaseConfig.builder(untimed, word())
              .instance(instance)
              .window(Duration.ofMillis(400))
              .acquireTimeout(Duration.ofSeconds(20))
              .listener(new AcquiredWorkers(kept))
              .build();
      Snowflake snowflake =
          Snowflake.builder().layout(LAYOUT).maxWait(Duration.ofSeconds(20)).lease(lease).build();
      try (snowflake) {
        for (int batch = 0; batch < 20; batch++) {
          snowflake.nextIds(ids, 0, ids.length);
          writer.add(ids, 0, ids.length);
          park(Duration.ofMillis(50));
        }
      }
      LeaseStatus closed = snowflake.leaseStatus().orElseThrow();
      if (closed.lastError().isEmpty()) {
        kept.remove(closed.worker());
      }
    }
  }

  /** Adds each worker ID that is leased to a set. */
  private record AcquiredWorkers(Set<Long> workers) implements LeaseListener {
    @Override
    public void acquired(LeaseStatus status) {
      workers.add(status.worker());
    }
  }

  /** A store whose owner accepts that counters may be lost. */
  private static final class Counting extends InterposedStore {

    Counting(RegisterStore client) {
      super(client);
    }

    @Override
    public boolean allowsCounters() {
      return true;
    }
  }

  /** Does not say its timeout, which is for slow machines, while the windows are short. */
  private static final class Untimed extends InterposedStore {

    private final RegisterStore client;

    Untimed(RegisterStore client) {
      super(client);
      this.client = client;
    }

    @Override
    public List<Register> readAll(List<String> names) {
      return client.readAll(names);
    }
  }
}
