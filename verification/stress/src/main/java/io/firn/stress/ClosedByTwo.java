package io.firn.stress;

import io.firn.Snowflake;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJJ_Result;

/** Two callers end a word, as those do that find a layout over. Both learn its last number. */
@JCStressTest
@Outcome(id = "3, 3, 3", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "The last number was lost.")
@State
public class ClosedByTwo {
  private final Snowflake generator = StressClock.still().generator(StressClock.NARROW, 0);

  public ClosedByTwo() {
    generator.nextIds(new long[3]);
  }

  @Actor
  public void first(JJJ_Result result) {
    generator.close();
    result.r1 = generator.stats().issued();
  }

  @Actor
  public void second(JJJ_Result result) {
    generator.close();
    result.r2 = generator.stats().issued();
  }

  @Arbiter
  public void judge(JJJ_Result result) {
    result.r3 = generator.stats().issued();
  }
}
