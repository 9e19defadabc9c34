package io.firn.stress;

import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** Placeholder: two threads draw from one counter. */
@JCStressTest
@Outcome(
    id = {"1, 2", "2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Two numbers.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A number drawn twice.")
@State
public class TwoDrawsDiffer {
  private final AtomicLong word = new AtomicLong();

  @Actor
  public void first(JJ_Result result) {
    result.r1 = word.incrementAndGet();
  }

  @Actor
  public void second(JJ_Result result) {
    result.r2 = word.incrementAndGet();
  }
}
