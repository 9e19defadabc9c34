package io.firn.stress;

import io.firn.segment.SegmentGenerator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** An array is filled across segments while another draws the rest of them. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Twice, out of order, or left out.")
@State
public class SegmentsAreSharedInBulk {
  private final SegmentGenerator generator = StressCounter.giving(2).generator(8);
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
    Seen.judgeDense(result, bulk, single);
  }
}
