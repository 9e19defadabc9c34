package io.firn.stress;

import io.firn.Snowflake;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** Six IDs of four a tick, while the clock is stopped: two are borrowed from the next tick. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Twice, out of order, or too far ahead.")
@State
public class FrozenClockWithALead {
  private final StressClock clock = StressClock.still();
  private final Snowflake generator = clock.generator(StressClock.NARROW, 4);
  private final long dueTick =
      clock.currentTimeMillis() - StressClock.NARROW.epoch().toEpochMilli();
  private final long[][] ids = new long[2][3];

  @Actor
  public void first() {
    Seen.draw(generator, ids[0]);
  }

  @Actor
  public void second() {
    Seen.draw(generator, ids[1]);
  }

  @Arbiter
  public void judge(ZZZ_Result result) {
    Seen.judge(result, StressClock.NARROW, dueTick + 4, ids);
  }
}
