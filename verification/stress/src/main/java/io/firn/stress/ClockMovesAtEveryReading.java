package io.firn.stress;

import io.firn.Snowflake;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** Every call finds that the clock has moved on to another tick. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Twice, out of order, or too far ahead.")
@State
public class ClockMovesAtEveryReading {
  private final Snowflake generator = StressClock.moving().generator(StressClock.NARROW, 0);
  private final long[] first = new long[3];
  private final long[] second = new long[3];

  @Actor
  public void first() {
    first[0] = generator.nextId();
    first[1] = generator.nextId();
    first[2] = generator.nextId();
  }

  @Actor
  public void second() {
    second[0] = generator.nextId();
    second[1] = generator.nextId();
    second[2] = generator.nextId();
  }

  @Arbiter
  public void judge(ZZZ_Result result) {
    Seen.judge(result, StressClock.NARROW, Long.MAX_VALUE, first, second);
  }
}
