package io.firn.stress;

import io.firn.segment.SegmentGenerator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A thread that sees a number of one segment draws a larger one, of that segment or the next. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both draw a larger one.")
@Outcome(expect = Expect.FORBIDDEN, desc = "One draws a smaller number than it has seen.")
@State
public class PublishedNumberIsSmaller {
  private final SegmentGenerator generator = StressCounter.giving(1).generator(4);
  private volatile long fromFirst;
  private volatile long fromSecond;

  @Actor
  public void first(ZZ_Result result) {
    fromFirst = generator.nextId();
    long seen = fromSecond;
    result.r1 = generator.nextId() > seen;
  }

  @Actor
  public void second(ZZ_Result result) {
    fromSecond = generator.nextId();
    long seen = fromFirst;
    result.r2 = generator.nextId() > seen;
  }
}
