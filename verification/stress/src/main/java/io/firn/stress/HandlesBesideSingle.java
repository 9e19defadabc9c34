package io.firn.stress;

import io.firn.Snowflake;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** Two handles take blocks, and one of their threads draws from the generator as well. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Twice, or out of order.")
@State
public class HandlesBesideSingle {
  private final Snowflake generator = StressClock.still().generator(StressClock.NARROW, 2);
  private final long[] first = new long[4];
  private final long[] second = new long[4];
  private final long[] single = new long[2];

  @Actor
  public void first() {
    Seen.draw(generator.newHandle()::nextId, first);
  }

  @Actor
  public void second() {
    Seen.draw(generator.newHandle()::nextId, second);
    Seen.draw(generator, single);
  }

  @Arbiter
  public void judge(ZZZ_Result result) {
    Seen.judge(result, StressClock.NARROW, Long.MAX_VALUE, first, second, single);
  }
}
