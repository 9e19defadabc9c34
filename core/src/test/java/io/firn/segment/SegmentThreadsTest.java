package io.firn.segment;

import static io.firn.Callers.bulk;
import static io.firn.Callers.isClean;
import static io.firn.Callers.one;
import static io.firn.Callers.together;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Callers.Caller;
import io.firn.GeneratorClosedException;
import io.firn.store.InMemoryRegisterStore;
import io.firn.testkit.IdHistory.Report;
import io.firn.testkit.ManualTimeSource;
import io.firn.testkit.Sizes;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Real threads, the system's clock, and a counter in memory. */
class SegmentThreadsTest {

  private static final Duration LONG = Duration.ofMinutes(1);

  private final Map<String, AtomicLong> counters = new ConcurrentHashMap<>();
  private final SegmentSource source =
      (key, count) ->
          Segment.of(
              counters.computeIfAbsent(key, any -> new AtomicLong(1)).getAndAdd(count), count);

  private SegmentGenerator.Builder builder() {
    return SegmentGenerator.builder(source, "orders").maxWait(LONG);
  }

  @Test
  void issuesEveryNumberOnceToSingleAndBulkCalls() throws Exception {
    for (long step : new long[] {1, 7, 1_000, 100_000}) {
      int count = step == 1 ? 20_000 : 300_000;
      counters.clear();
      try (SegmentGenerator generator = builder().step(step).build()) { // its fetches end with it
        Report report =
            together(one(generator, count), bulk(generator, count), one(generator, count));
        isClean(report, 3L * count);
        assertThat(generator.stats().issued()).isEqualTo(report.count());
        assertThat(generator.stats().newest()).hasValue(report.count());
      }
    }
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void firstSegmentMayTakeLongerUnlessTheWaitIsSet() {
    SegmentSource cold =
        (key, count) -> {
          TimeSource time = TimeSource.system();
          long end = time.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2_500);
          for (long left = end - time.nanoTime(); left > 0; left = end - time.nanoTime()) {
            time.parkNanos(left);
          }
          return source.next(key, count);
        };
    try (SegmentGenerator patient = SegmentGenerator.builder(cold, "orders").build();
        SegmentGenerator told =
            SegmentGenerator.builder(cold, "orders").maxWait(Duration.ofMillis(1)).build()) {
      assertThatThrownBy(told::nextId).isInstanceOf(SegmentUnavailableException.class);
      assertThat(patient.nextId()).isPositive();
    }
  }

  @Test
  void issuesALargerIdThanOneThatAnotherThreadHasPublished() throws Exception {
    SegmentGenerator generator = builder().step(3).build();
    AtomicLong published = new AtomicLong();
    AtomicLong disorders = new AtomicLong();
    Caller caller =
        writer -> {
          for (int i = 0; i < 200_000; i++) {
            long before = published.get();
            long id = generator.nextId();
            if (id <= before) {
              disorders.incrementAndGet();
            }
            published.set(id);
            writer.add(id);
          }
        };
    isClean(together(caller, caller, caller), 600_000);
    assertThat(disorders).hasValue(0);
  }

  @Test
  void severalProcessesShareACounter() throws Exception {
    Caller[] callers =
        Stream.generate(() -> builder().step(5).build())
            .limit(8)
            .map(generator -> one(generator, 20_000))
            .toArray(Caller[]::new);
    isClean(together(callers), 160_000);
  }

  @Test
  void tenThousandKeysShareAFewThreads() throws Exception {
    AtomicInteger most = new AtomicInteger();
    AtomicInteger now = new AtomicInteger();
    SegmentSource watched =
        (key, count) -> {
          most.accumulateAndGet(now.incrementAndGet(), Math::max);
          try {
            return source.next(key, count);
          } finally {
            now.decrementAndGet();
          }
        };
    List<SegmentGenerator> generators = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      generators.add(SegmentGenerator.builder(watched, "key-" + i).maxWait(LONG).build());
    }
    for (SegmentGenerator generator : generators) {
      assertThat(generator.nextId()).isEqualTo(1);
    }
    assertThat(most.get()).isBetween(1, SegmentFetcher.THREADS_PER_SOURCE);
    generators.forEach(SegmentGenerator::close);
  }

  @Test
  void closingWhileOthersDrawLosesNoNumberAndGivesNoneTwice() throws Exception {
    for (int round = 0; round < Sizes.deep(40, 200); round++) {
      List<Segment> rest = new ArrayList<>();
      AtomicLong next = new AtomicLong(1);
      SegmentSource taking =
          new SegmentSource() {
            @Override
            public Segment next(String key, long count) {
              return Segment.of(next.getAndAdd(count), count);
            }

            @Override
            public boolean giveBack(String key, Segment segment) {
              rest.add(segment);
              return true;
            }
          };
      SegmentGenerator generator =
          SegmentGenerator.builder(taking, "k").step(50).maxWait(LONG).build();
      AtomicLong drawn = new AtomicLong();
      Caller caller =
          writer -> {
            try {
              while (true) {
                writer.add(generator.nextId());
                drawn.incrementAndGet();
              }
            } catch (GeneratorClosedException closed) {
              assertThat(closed)
                  .hasMessage(
                      "The generator is closed and issues no more IDs; close it after its last"
                          + " caller");
            }
          };
      Report report =
          together(
              caller,
              caller,
              writer -> {
                while (drawn.get() < 300) {
                  Thread.onSpinWait();
                }
                generator.close();
              });
      isClean(report, 300);
      long back = rest.stream().mapToLong(Segment::count).sum();
      assertThat(report.count() + back).isEqualTo(next.get() - 1);
    }
  }

  @Test
  void wakesCallersAsSoonAsASegmentIsThere() throws Exception {
    SegmentSource slow =
        (key, count) -> {
          TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
          return source.next(key, count);
        };
    SegmentGenerator generator = SegmentGenerator.builder(slow, "k").step(1).maxAhead(1).build();
    long begin = System.nanoTime();
    isClean(together(one(generator, 20), one(generator, 20)), 40);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(60));
  }

  @Test
  void sourcesOverOneStoreShareItsThreads() {
    SegmentFetcher fetcher = SegmentFetcher.shared();
    InMemoryRegisterStore store = new InMemoryRegisterStore();

    assertThat(fetcher.lane(RegisterSegments.of(store)))
        .isSameAs(fetcher.lane(RegisterSegments.of(store)))
        .isNotSameAs(fetcher.lane(RegisterSegments.of(new InMemoryRegisterStore())));
  }

  private static SegmentSource slowToTakeBack(AtomicInteger givenBack) {
    return takingBack(
        givenBack, () -> TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(50)));
  }

  private static SegmentSource takingBack(AtomicInteger givenBack, Runnable before) {
    AtomicLong next = new AtomicLong(1);
    return new SegmentSource() {
      @Override
      public Segment next(String key, long count) {
        return Segment.of(next.getAndAdd(count), count);
      }

      @Override
      public boolean giveBack(String key, Segment rest) {
        before.run();
        givenBack.incrementAndGet();
        return true;
      }
    };
  }

  @Test
  void interruptedThreadGivesNumbersBackAndStaysInterrupted() {
    AtomicInteger givenBack = new AtomicInteger();
    SegmentGenerator generator =
        SegmentGenerator.builder(slowToTakeBack(givenBack), "orders").maxWait(LONG).build();
    generator.nextId();
    Thread.currentThread().interrupt();

    generator.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(givenBack.get()).isPositive();
  }

  @Test
  @Execution(ExecutionMode.CONCURRENT)
  void closeDoesNotWaitLongForASourceThatHangs() {
    AtomicBoolean letGo = new AtomicBoolean();
    AtomicInteger givenBack = new AtomicInteger();
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    Runnable hang =
        () -> {
          while (!letGo.get() && time.nanoTime() - begin < TimeUnit.MINUTES.toNanos(2)) {
            time.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
          }
        };
    SegmentGenerator generator =
        SegmentGenerator.builder(takingBack(givenBack, hang), "orders").maxWait(LONG).build();
    generator.nextId();

    generator.close();

    assertThat(givenBack.get()).isZero();
    letGo.set(true);
  }

  @Test
  void closeWaitsForTheSourceByTheClockOfTheFetcher() {
    AtomicInteger givenBack = new AtomicInteger();
    SegmentGenerator generator =
        SegmentGenerator.builder(slowToTakeBack(givenBack), "orders")
            .timeSource(new ManualTimeSource(Instant.EPOCH)) // parks that take no time
            .build();
    while (generator.stats().left() == 0) {
      Thread.onSpinWait();
    }
    generator.nextId();

    generator.close();

    assertThat(givenBack.get()).isPositive();
  }
}
