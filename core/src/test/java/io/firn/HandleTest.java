package io.firn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.firn.IdLayout.Kind;
import io.firn.testkit.ManualTimeSource;
import io.firn.testkit.Sizes;
import io.firn.testkit.Trials;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HandleTest {

  private static final Instant START = Instant.parse("2026-11-21T12:00:00Z");

  private final ManualTimeSource clock = new ManualTimeSource(START);

  private Snowflake generator(Duration maxLead) {
    return Snowflake.builder()
        .worker(1)
        .maxLead(maxLead)
        .maxWait(Duration.ZERO)
        .sequenceStart(SequenceStart.ZERO)
        .timeSource(clock)
        .build();
  }

  private static long tick(long id) {
    return IdLayout.CLASSIC.parse(id).tick();
  }

  @Test
  void takesBlocksThatGrowWithUse() {
    Snowflake generator = generator(Duration.ZERO);
    SnowflakeHandle handle = generator.newHandle();
    List<Long> others = new ArrayList<>();
    handle.nextId();
    for (int i = 0; i < 100; i++) {
      others.add(generator.nextId() & 4095);
      handle.nextId();
    }
    assertThat(others).startsWith(1L, 4L, 5L, 10L, 11L, 12L, 13L, 22L);
    assertThat(generator.stats().issued()).isGreaterThanOrEqualTo(201);
  }

  @Test
  void isNeverStaleNorAheadOfTheLead() {
    for (int lead : new int[] {0, 1, 5}) {
      Snowflake generator = generator(Duration.ofMillis(lead));
      SnowflakeHandle handle = generator.newHandle();
      long last = 0;
      for (int i = 0; i < 3_000; i++) {
        if (i % 7 == 0) {
          clock.advance(Duration.ofMillis(i % 3));
        }
        long id = handle.nextId();
        assertThat(id).isGreaterThan(last);
        last = id;
        long now = clock.currentTimeMillis() - IdLayout.CLASSIC.epoch().toEpochMilli();
        assertThat(tick(id)).isBetween(now, now + lead);
      }
    }
  }

  @Test
  void clockReadingIsAtMostTheGivenNumberOfIdsOld() {
    for (int old : new int[] {2, 3, 64}) {
      Snowflake generator = generator(Duration.ZERO);
      SnowflakeHandle handle = generator.newHandle(old);
      for (int i = 0; i < 2_000; i++) {
        handle.nextId();
      }
      for (int round = 0; round < 50; round++) {
        clock.advance(Duration.ofMillis(10));
        long now = clock.currentTimeMillis() - IdLayout.CLASSIC.epoch().toEpochMilli();
        for (int i = 1; i < old; i++) {
          handle.nextId();
        }
        for (int i = 0; i < 500; i++) {
          assertThat(tick(handle.nextId())).isEqualTo(now);
        }
      }
    }
  }

  @Test
  void failsAsItsGeneratorDoesAndContinues() {
    Snowflake generator = generator(Duration.ZERO);
    SnowflakeHandle handle = generator.newHandle();
    long last = 0;
    for (int i = 0; i < 10; i++) {
      last = handle.nextId();
    }
    clock.step(Duration.ofMillis(-1));
    assertThatExceptionOfType(ClockMovedBackwardsException.class).isThrownBy(handle::nextId);
    clock.step(Duration.ofMillis(1));
    assertThat(handle.nextId()).isGreaterThan(last);
  }

  @Test
  void refusesASecondThreadAtTheNextBlock() throws Exception {
    Snowflake generator = generator(Duration.ZERO);
    SnowflakeHandle handle = generator.newHandle();
    Thread first = new Thread(handle::nextId, "first");
    first.start();
    first.join();

    assertThatIllegalStateException()
        .isThrownBy(handle::nextId)
        .withMessage(
            "The handle belongs to thread first and was used by thread "
                + Thread.currentThread().getName()
                + ", so that IDs may have been repeated; call newHandle() in each thread");
  }

  @Test
  void noticesASecondThreadWithinABlock() throws Exception {
    Snowflake generator = generator(Duration.ZERO);
    SnowflakeHandle handle = generator.newHandle();
    handle.nextId();
    AtomicInteger drawn = new AtomicInteger();
    Thread second =
        new Thread(
            () -> {
              try {
                while (drawn.get() <= 1_024) {
                  handle.nextId();
                  drawn.incrementAndGet();
                }
              } catch (IllegalStateException refused) {
                Thread.onSpinWait();
              }
            });
    second.start();
    second.join();

    assertThat(drawn.get()).isLessThan(1_024);
  }

  @Test
  void limitsTheIdsPerClockRead() {
    Snowflake generator = generator(Duration.ZERO);
    assertThat(generator.newHandle(1).nextId()).isPositive();
    assertThat(generator.newHandle(65_536).nextId()).isPositive();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> generator.newHandle(0))
        .withMessage("idsPerClockRead: 0 (expected: 1..65536)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> generator.newHandle(65_537))
        .withMessage("idsPerClockRead: 65537 (expected: 1..65536)");
  }

  @Test
  void countsTheRestOfABlockAsIssuedUntilItIsDropped() {
    Snowflake generator = generator(Duration.ZERO);
    SnowflakeHandle handle = generator.newHandle();
    for (int i = 0; i < 1 + 2 + 4 + 8; i++) {
      handle.nextId();
    }
    assertThat(generator.stats().issued()).isEqualTo(15);
    handle.nextId();
    assertThat(generator.stats().issued()).isEqualTo(15 + 16);
    clock.advance(Duration.ofMillis(1));
    handle.nextId();
    assertThat(generator.stats().issued()).isEqualTo(15 + 1 + 1);
  }

  /** Steps: 0..2 move the clock by -1..1 tick, 3..4 draw from a handle, 5 draws from all. */
  @Test
  void interleavesWithoutADuplicateOnEverySmallShapeAndScript() {
    for (IdLayout layout : SmallLayouts.ofTimeAndSequence(4)) {
      for (int lead = 0; lead < Math.min(3, 1 << layout.bits(Kind.TIME)); lead++) {
        for (int script = 0; script < Sizes.deep(6 * 6 * 6 * 6, 6 * 6 * 6 * 6 * 6); script++) {
          interleave(layout, lead, script);
        }
      }
    }
  }

  private static void interleave(IdLayout layout, int lead, int script) {
    ManualTimeSource clock = new ManualTimeSource(layout.epoch(), script);
    Snowflake generator =
        Snowflake.builder()
            .layout(layout)
            .maxLead(Duration.ofMillis(lead))
            .maxWait(Duration.ofMillis(1))
            .allowUnderTenYears()
            .timeSource(clock)
            .build();
    History history = new History(layout, generator, clock, lead);
    int rest = script;
    for (int step = 0; step < 5 && !history.ended; step++, rest /= 6) {
      int action = rest % 6;
      if (action < 3) {
        clock.step(Duration.ofMillis(action - 1));
      }
      if (action == 3 || action == 5) {
        history.draw(0);
      }
      if (action != 3) {
        history.draw(1);
      }
      if (action == 5) {
        history.draw(2);
      }
    }
  }

  @Test
  void interleavesWithoutADuplicateOnRandomScripts() {
    record Input(int sequenceBits, int lead, int old, List<Integer> script) {}
    Trials.check(
        "handles",
        Sizes.deep(300, 2_000),
        random -> {
          List<Integer> script = new ArrayList<>();
          for (int i = 0; i < 400; i++) {
            script.add(random.nextInt(-3, 30));
          }
          return new Input(
              random.nextInt(1, 13), random.nextInt(0, 5), random.nextInt(1, 20), script);
        },
        input -> {
          IdLayout layout =
              IdLayout.builder()
                  .time(40)
                  .worker(3)
                  .sequence(input.sequenceBits())
                  .epoch(SmallLayouts.EPOCH)
                  .build();
          ManualTimeSource source = new ManualTimeSource(START, input.lead());
          Snowflake generator =
              Snowflake.builder()
                  .layout(layout)
                  .worker(5)
                  .maxLead(Duration.ofMillis(input.lead()))
                  .maxWait(Duration.ofMillis(2))
                  .timeSource(source)
                  .build();
          History history = new History(layout, generator, source, input.lead(), input.old());
          for (int step : input.script()) {
            if (step < 4) {
              source.step(Duration.ofMillis(step));
            } else {
              history.draw(step % 3);
            }
          }
        });
  }

  /** The IDs that two handles and their generator have issued. */
  private static final class History {

    private final IdLayout layout;
    private final ManualTimeSource clock;
    private final int lead;
    private final boolean fresh;
    private final long firstTick;
    private final IdGenerator[] callers;
    private final long[] last = {-1, -1, -1};
    private final Set<Long> seen = new HashSet<>();
    private boolean ended;

    History(IdLayout layout, Snowflake generator, ManualTimeSource clock, int lead) {
      this(layout, generator, clock, lead, 1);
    }

    History(IdLayout layout, Snowflake generator, ManualTimeSource clock, int lead, int old) {
      this.layout = layout;
      this.clock = clock;
      this.lead = lead;
      fresh = old == 1;
      firstTick = now() + lead + 1;
      callers =
          new IdGenerator[] {
            generator.newHandle(old)::nextId, generator.newHandle(old)::nextId, generator
          };
    }

    private long now() {
      return clock.currentTimeMillis() - layout.epoch().toEpochMilli();
    }

    void draw(int caller) {
      long id;
      try {
        id = callers[caller].nextId();
      } catch (LayoutExpiredException e) {
        ended = true;
        return;
      } catch (ClockMovedBackwardsException e) {
        return;
      }
      IdParts parts = layout.parse(id);
      boolean inTime = !fresh || (parts.tick() >= now() && parts.tick() <= now() + lead);
      if (!seen.add(id)
          || id <= last[caller]
          || parts.tick() < firstTick
          || parts.worker() != (layout.workers() == 1 ? 0 : 5)
          || !inTime) {
        throw new AssertionError(
            layout + ": caller " + caller + " got " + parts + " at " + now() + " after " + seen);
      }
      last[caller] = id;
    }
  }
}
