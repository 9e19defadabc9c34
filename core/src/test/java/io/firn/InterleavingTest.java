package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What one caller does while another is stopped in the middle of a call: just after it read the
 * clock, or while it is parked. There the clock moves and the other caller draws, on one thread, so
 * that every case can be enumerated.
 */
class InterleavingTest {

  /** An event at one of these moments: the clock moves, then the other caller draws some IDs. */
  private record Meanwhile(int move, int draws) {}

  private static final List<Meanwhile> CASES =
      List.of(
          new Meanwhile(0, 0),
          new Meanwhile(0, 1),
          new Meanwhile(1, 1),
          new Meanwhile(-1, 1),
          new Meanwhile(2, 3),
          new Meanwhile(0, 3),
          new Meanwhile(-2, 0));

  private int drawn;

  @Test
  void issuesNothingTwiceAndKeepsTheOrderOfCompletedCalls() {
    for (IdLayout layout : SmallLayouts.ofTimeAndSequence(5)) {
      for (int lead = 0; lead < Math.min(3, 1 << layout.bits(IdLayout.Kind.TIME)); lead++) {
        for (int first = 0; first < CASES.size(); first++) {
          for (int second = 0; second < CASES.size(); second++) {
            for (int third = 0; third < CASES.size(); third++) {
              new Run(layout, lead, List.of(first, second, third)).run();
            }
          }
        }
      }
    }
    assertThat(drawn).isGreaterThan(100_000);
  }

  private final class Run {

    private final IdLayout layout;
    private final int lead;
    private final List<Integer> script;
    private final ManualTimeSource clock;
    private final Clocks clocks;
    private final Snowflake generator;
    private final Set<Long> seen = new HashSet<>();
    private final List<Meanwhile> pending = new ArrayList<>();
    private boolean inside;
    private long newest = -1;

    Run(IdLayout layout, int lead, List<Integer> script) {
      this.layout = layout;
      this.lead = lead;
      this.script = script;
      clock = new ManualTimeSource(layout.epoch(), script.hashCode());
      clocks = new Clocks(clock);
      generator =
          Snowflake.builder()
              .layout(layout)
              .maxLead(Duration.ofMillis(lead))
              .maxWait(Duration.ofMillis(3))
              .allowUnderTenYears()
              .timeSource(clocks)
              .build();
      clocks.onRead(this::meanwhile).onPark(this::meanwhile);
    }

    void run() {
      for (int call = 0; call < 4; call++) {
        script.forEach(index -> pending.add(CASES.get(index)));
        long before = newest;
        try {
          long[] ids = new long[1 + call % 2];
          if (ids.length == 1) {
            ids[0] = generator.nextId();
          } else {
            generator.nextIds(ids);
          }
          for (long id : ids) {
            check(id, before);
            before = id;
          }
        } catch (LayoutExpiredException e) {
          return;
        } catch (ClockMovedBackwardsException e) {
          clock.step(Duration.ofMillis(1));
        }
        pending.clear();
      }
    }

    private void meanwhile() {
      if (inside || pending.isEmpty()) {
        return;
      }
      inside = true;
      Meanwhile now = pending.remove(0);
      clock.step(Duration.ofMillis(now.move()));
      try {
        for (int i = 0; i < now.draws(); i++) {
          check(generator.nextId(), newest);
        }
      } catch (LayoutExpiredException | ClockMovedBackwardsException e) {
        // The caller that was interrupted continues.
      } finally {
        inside = false;
      }
    }

    private void check(long id, long before) {
      drawn++;
      long tick = layout.parse(id).tick();
      if (!seen.add(id) || id <= before || tick <= lead) {
        throw new AssertionError(
            layout + " lead " + lead + " " + script + ": " + id + " after " + before + " " + seen);
      }
      newest = Math.max(newest, id);
    }
  }
}
