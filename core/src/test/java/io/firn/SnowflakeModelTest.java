package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout.Kind;
import io.firn.testkit.ManualTimeSource;
import io.firn.testkit.Sizes;
import io.firn.testkit.Trials;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * Compares the generator, call by call, with a model that does one call after the other, on a clock
 * that a script moves: the same IDs, the same refusals, the same figures.
 */
class SnowflakeModelTest {

  private static final int STEPS = 6;
  private static final int SCRIPTS = 729;
  private static final int SCRIPTS_OF_A_SEED = 81;
  private static final List<SequenceStart> STARTS =
      List.of(SequenceStart.CONTINUE, SequenceStart.ZERO, SequenceStart.rotating(2));

  /** Settings, and where the clock begins, in milliseconds since the epoch. */
  private record Setup(IdLayout layout, ClockPolicy policy, long beginMillis, long seed) {

    ManualTimeSource clock() {
      return new ManualTimeSource(layout.epoch().plusMillis(beginMillis), seed);
    }
  }

  /** Thrown or issued: an ID, or minus the kind of refusal with how far the clock went back. */
  private record Outcome(long id, String refusal) {}

  @Test
  void agreesWithTheModelOnEverySmallLayout() throws Exception {
    ClockPolicy policy =
        new ClockPolicy(Duration.ofMillis(1), Duration.ofMillis(1), SequenceStart.CONTINUE);
    forEach(
        SmallLayouts.growing(Sizes.deep(6, 8)),
        layout -> {
          followAll(layout, policy, 0);
        });
  }

  @Test
  void agreesWithTheModelUnderEverySettingOnEveryShapeOfTimeAndSequence() throws Exception {
    forEach(
        SmallLayouts.ofTimeAndSequence(4),
        layout -> {
          long ticks = 1L << layout.bits(Kind.TIME);
          for (int lead = 0; lead <= 2; lead++) {
            for (int wait = 0; wait <= 2; wait++) {
              for (SequenceStart start : STARTS) {
                if (start.bound() > 1L << layout.bits(Kind.SEQUENCE)) {
                  continue;
                }
                ClockPolicy policy =
                    new ClockPolicy(Duration.ofMillis(lead), Duration.ofMillis(wait), start);
                if (lead < ticks) {
                  followAll(layout, policy, 0);
                }
                if (lead < 5 && ticks > 5) {
                  followAll(layout, policy, ticks - 5);
                }
              }
            }
          }
        });
  }

  /**
   * Shares the layouts among two threads of their own: an exception that is thrown from a shallow
   * stack costs a tenth, and here are millions.
   */
  private static void forEach(List<IdLayout> layouts, Consumer<IdLayout> check) throws Exception {
    List<FutureTask<Void>> halves = new ArrayList<>();
    for (int half = 0; half < 2; half++) {
      int first = half;
      FutureTask<Void> task =
          new FutureTask<>(
              () -> {
                for (int i = first; i < layouts.size(); i += 2) {
                  check.accept(layouts.get(i));
                }
              },
              null);
      halves.add(task);
      new Thread(task).start();
    }
    for (FutureTask<Void> task : halves) {
      task.get();
    }
  }

  /**
   * Two callers in turn, a clock that moves by -1, 0 or 1 ms before each of six steps: every such
   * script. Scripts that begin alike follow each other, so that those which only differ after the
   * layout has ended are passed over.
   */
  private static void followAll(IdLayout layout, ClockPolicy policy, long beginMillis) {
    for (int script = 0; script < SCRIPTS; ) {
      Pair pair = new Pair(new Setup(layout, policy, beginMillis, script / SCRIPTS_OF_A_SEED));
      int weight = SCRIPTS;
      for (int step = 0; step < STEPS && pair.expirations == 0; step++) {
        weight /= 3;
        pair.step(script / weight % 3 - 1);
        pair.nextId();
        pair.nextIds(2);
      }
      pair.compareStats();
      int alike = Math.min(weight, SCRIPTS_OF_A_SEED);
      script += alike - script % alike;
    }
  }

  @Test
  void agreesWithTheModelOnRandomScripts() {
    record Input(Setup setup, List<Integer> script) {}
    Trials.check(
        "scripts against the model",
        Sizes.deep(500, 3_000),
        random -> {
          int timeBits = random.nextInt(3, 42);
          int sequenceBits = random.nextInt(0, 14);
          int workerBits = random.nextInt(0, 9);
          long tickMillis = random.nextInt(4) == 0 ? random.nextInt(1, 30) : 1;
          IdLayout.Builder layout =
              IdLayout.builder()
                  .time(timeBits)
                  .epoch(SmallLayouts.EPOCH)
                  .tick(Duration.ofMillis(tickMillis));
          if (workerBits > 0) {
            layout.worker(workerBits);
          }
          if (sequenceBits > 0) {
            layout.sequence(sequenceBits);
          }
          long span = tickMillis << timeBits;
          long lead = random.nextInt(3) == 0 ? 0 : random.nextLong(Math.min(span, 200));
          SequenceStart start =
              random.nextInt(4) == 0
                  ? SequenceStart.rotating(random.nextLong(1, (1L << sequenceBits) + 1))
                  : STARTS.get(random.nextInt(2));
          ClockPolicy policy =
              new ClockPolicy(
                  Duration.ofMillis(lead), Duration.ofMillis(random.nextInt(50)), start);
          long begin = random.nextLong(span - lead);
          List<Integer> script = new ArrayList<>();
          for (int i = random.nextInt(1, 200); i > 0; i--) {
            script.add(random.nextInt(-40, 100));
          }
          return new Input(new Setup(layout.build(), policy, begin, random.nextLong()), script);
        },
        input -> {
          Pair pair = new Pair(input.setup());
          for (int move : input.script()) {
            if (move < 20) {
              pair.step(move / 2);
            } else if (move < 60) {
              pair.nextId();
            } else {
              pair.nextIds((move - 60) * (move - 60));
            }
          }
          pair.compareStats();
        });
  }

  /** At some of these readings a tick that is shifted loses its upper bits. */
  @Test
  void agreesWithTheModelAtEveryPowerOfTwoOfTheClock() {
    long begin = 1_000;
    for (int sequenceBits : new int[] {0, 1, 12, 24}) {
      IdLayout.Builder layout = IdLayout.builder().time(38).epoch(SmallLayouts.EPOCH);
      if (sequenceBits > 0) {
        layout.sequence(sequenceBits);
      }
      Setup setup = new Setup(layout.build(), ClockPolicy.TWITTER, begin, sequenceBits);
      for (int power = 0; power < 62; power++) {
        for (long offset : new long[] {-1, 0, 1, begin + 3}) {
          Pair pair = new Pair(setup);
          pair.nextId();
          pair.stepTo((1L << power) + offset);
          for (int i = 0; i < 3; i++) {
            pair.nextId();
          }
          pair.nextIds(5);
          pair.stepTo(begin + 2);
          for (int i = 0; i < 3; i++) {
            pair.nextId();
          }
          pair.compareStats();
        }
      }
    }
  }

  /** A generator and its model, each on a clock of its own that reads the same. */
  private static final class Pair {

    private final Setup setup;
    private final ManualTimeSource clock;
    private final Snowflake generator;
    private final Model model;
    private final List<Object> done = new ArrayList<>();
    private int expirations;
    private long last = -1;

    Pair(Setup setup) {
      this.setup = setup;
      clock = setup.clock();
      Snowflake.Builder builder =
          Snowflake.builder()
              .layout(setup.layout())
              .clockPolicy(setup.policy())
              .allowUnderTenYears()
              .timeSource(clock);
      setup.layout().field(Kind.WORKER).ifPresent(field -> builder.worker(field.max()));
      setup.layout().field(Kind.DATACENTER).ifPresent(field -> builder.datacenter(field.max() - 1));
      generator = builder.build();
      model = new Model(setup);
    }

    void stepTo(long millis) {
      step(millis - model.now);
    }

    void step(long millis) {
      done.add("step");
      done.add(millis);
      clock.step(Duration.ofMillis(millis));
      model.now += millis;
    }

    void nextId() {
      done.add("nextId");
      Outcome outcome;
      try {
        outcome = new Outcome(generator.nextId(), "");
      } catch (FirnException e) {
        outcome = refusal(e);
      }
      compare(outcome, model.nextId(true));
    }

    void nextIds(int count) {
      done.add("nextIds");
      done.add(count);
      long[] ids = new long[count + 2];
      ids[0] = -7;
      ids[count + 1] = -7;
      Outcome failure = null;
      try {
        generator.nextIds(ids, 1, count + 1);
      } catch (FirnException e) {
        failure = refusal(e);
      }
      if (ids[0] != -7 || ids[count + 1] != -7) {
        throw failure("wrote outside the range");
      }
      for (int i = 1; i <= count; i++) {
        Outcome expected = model.nextId(false);
        if (!expected.refusal().isEmpty()) {
          compare(failure, expected);
          return;
        }
        compareIds(new Outcome(ids[i], ""), expected);
      }
      compare(failure, null);
    }

    private static Outcome refusal(FirnException e) {
      return new Outcome(
          e instanceof ClockMovedBackwardsException moved ? moved.back().toMillis() : 0,
          e.getClass().getSimpleName());
    }

    private void compare(Outcome outcome, Outcome expected) {
      compareIds(outcome, expected);
      long reads = clock.currentTimeMillis() - setup.layout().epoch().toEpochMilli();
      if (reads != model.now) {
        throw failure("waited until " + reads + " not " + model.now);
      }
    }

    private void compareIds(Outcome outcome, Outcome expected) {
      if (outcome == null ? expected != null : !outcome.equals(expected)) {
        throw failure(outcome + " not " + expected);
      }
      if (outcome == null) {
        return;
      }
      if (!outcome.refusal().isEmpty()) {
        expirations += outcome.refusal().startsWith("LayoutExpired") ? 1 : 0;
        return;
      }
      if (outcome.id() <= last) {
        throw failure(outcome + " after " + last);
      }
      last = outcome.id();
    }

    private AssertionError failure(String what) {
      return new AssertionError(setup + " " + done + ": " + what);
    }

    void compareStats() {
      SnowflakeStats stats = generator.stats();
      if (stats.issued() != model.issued
          || stats.waits() != model.waits
          || stats.clockSteps() != model.clockSteps) {
        throw failure(stats + " not " + List.of(model.issued, model.waits, model.clockSteps));
      }
    }
  }

  /** One call after the other. */
  private static final class Model {

    private final IdLayout layout;
    private final long tickMillis;
    private final long capacity;
    private final long lastTick;
    private final long maxLead;
    private final long maxWait;
    private final SequenceStart start;
    private final long worker;
    private final long datacenter;
    private final long firstTick;

    private long now;
    private long tick;
    private long sequence;
    private boolean fresh = true;
    private long rotation = 1;
    private long latest;
    private boolean steppedBack;
    private long issued;
    private long waits;
    private long clockSteps;

    Model(Setup setup) {
      layout = setup.layout();
      tickMillis = layout.tick().toMillis();
      capacity = 1L << layout.bits(Kind.SEQUENCE);
      lastTick = (1L << layout.bits(Kind.TIME)) - 1;
      maxLead = setup.policy().maxLead().toMillis();
      maxWait = setup.policy().maxWait().toMillis();
      start = setup.policy().sequenceStart();
      worker = layout.field(Kind.WORKER).map(IdLayout.Field::max).orElse(0L);
      datacenter = layout.field(Kind.DATACENTER).map(field -> field.max() - 1).orElse(0L);
      now = setup.beginMillis();
      latest = now;
      firstTick = (now + maxLead) / tickMillis + 1;
      tick = firstTick;
      sequence = start.continues() ? setup.clock().random(capacity) : 0;
    }

    /** The candidate is (tick, sequence), the number after the one that was issued last. */
    Outcome nextId(boolean mayTakeTheFastPath) {
      long clockTick = Math.floorDiv(now, tickMillis);
      if (mayTakeTheFastPath && tick == clockTick && sequence != 0 && tick <= lastTick) {
        return issue();
      }
      long atTick = tick;
      long atSequence = sequence;
      boolean moves = tick < clockTick;
      if (moves) {
        atTick = clockTick;
        atSequence =
            start.continues() ? sequence : start.rotates() && !fresh ? rotation % start.bound() : 0;
      }
      if (atTick > lastTick) {
        return new Outcome(0, "LayoutExpiredException");
      }
      long due = atTick * tickMillis - maxLead;
      long back = 0;
      if (now >= latest || atTick * tickMillis <= now) {
        reads(now);
      } else {
        back = latest - now;
        clockSteps += steppedBack ? 0 : 1;
        steppedBack = true;
      }
      if (due > now) {
        boolean fullTick = back < maxLead && due - now <= tickMillis;
        if (Math.min(back, due - now) > maxWait && !fullTick) {
          return new Outcome(back, "ClockMovedBackwardsException");
        }
        waits++;
        now = due;
        reads(now);
      }
      if (moves && !fresh) {
        rotation++;
      }
      tick = atTick;
      sequence = atSequence;
      return issue();
    }

    private void reads(long reading) {
      if (reading > latest) {
        latest = reading;
        steppedBack = false;
      }
    }

    private Outcome issue() {
      long id = layout.compose(tick, datacenter, worker, sequence);
      if (++sequence == capacity) {
        sequence = 0;
        tick++;
      }
      fresh = false;
      issued++;
      return new Outcome(id, "");
    }
  }

  @Test
  void theModelItselfKnowsTwittersFirstIds() {
    Setup setup = new Setup(IdLayout.TWITTER, ClockPolicy.TWITTER, 0, 0);
    Model model = new Model(setup);
    long own = 30L << 17 | 31L << 12;
    assertThat(model.nextId(true)).isEqualTo(new Outcome(4194304 | own, ""));
    assertThat(model.nextId(true)).isEqualTo(new Outcome(4194305 | own, ""));
    model.now--;
    assertThat(model.nextId(true)).isEqualTo(new Outcome(1, "ClockMovedBackwardsException"));
  }
}
