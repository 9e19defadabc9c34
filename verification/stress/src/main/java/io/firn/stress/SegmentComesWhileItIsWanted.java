package io.firn.stress;

import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentUnavailableException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** A caller that does not wait comes to the end of the chain while segments are added to it. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Twice, left out, or a wish that was lost.")
@State
public class SegmentComesWhileItIsWanted {
  private final StressCounter counter = StressCounter.giving(1);
  private final SegmentGenerator generator = counter.generator(1);
  private final long[] ids = new long[6];
  private int drawn;

  @Actor
  public void draw() {
    for (int i = 0; i < 4; i++) {
      drawOne();
    }
  }

  private void drawOne() {
    try {
      ids[drawn] = generator.nextId();
      drawn++;
    } catch (SegmentUnavailableException none) {
      Thread.onSpinWait();
    }
  }

  @Actor
  public void fetch() {
    counter.fetch();
    counter.fetch();
  }

  /** Checks that afterwards each fetch is followed by an ID, so no wish for one was lost. */
  @Arbiter
  public void judge(ZZZ_Result result) {
    int before = drawn;
    counter.fetch();
    drawOne();
    counter.fetch();
    drawOne();
    result.r1 = drawn == before + 2;
    result.r2 = generator.stats().issued() == drawn;
    boolean dense = true;
    for (int i = 0; i < drawn; i++) {
      dense &= ids[i] == i + 1;
    }
    result.r3 = dense;
  }
}
