package io.firn.stress;

import io.firn.GeneratorClosedException;
import io.firn.segment.SegmentGenerator;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Numbers that a closed generator gave back are never drawn. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Drawn and given back, or lost.")
@State
public class ClosedWhileDrawnFrom {
  private final StressCounter counter = StressCounter.giving(2);
  private final SegmentGenerator generator = counter.generator(6);
  private long drawn;

  @Actor
  public void draw() {
    try {
      while (generator.nextId() > 0 && drawn < 5) {
        drawn++;
      }
      drawn++;
    } catch (GeneratorClosedException closed) {
      Thread.onSpinWait();
    }
  }

  @Actor
  public void close() {
    generator.close();
  }

  @Arbiter
  public void judge(ZZ_Result result) {
    result.r1 = counter.kept() == drawn;
    result.r2 = generator.stats().issued() == drawn;
  }
}
