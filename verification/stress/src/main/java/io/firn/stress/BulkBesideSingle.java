package io.firn.stress;

import io.firn.Snowflake;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** An array is filled across ticks while another draws. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Twice, out of order, or too far ahead.")
@State
public class BulkBesideSingle {
  private final Snowflake generator = StressClock.still().generator(StressClock.NARROW, 1);
  private final long[] bulk = new long[5];
  private final long[] single = new long[3];

  @Actor
  public void bulk() {
    generator.nextIds(bulk);
  }

  @Actor
  public void single() {
    Seen.draw(generator, single);
  }

  @Arbiter
  public void judge(ZZZ_Result result) {
    Seen.judge(result, StressClock.NARROW, Long.MAX_VALUE, bulk, single);
  }
}
