package io.firn.stress.planted;

import io.firn.time.TimeSource;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/**
 * Two threads draw from a counter that nothing guards. Each lets the other one run between its read
 * and its write, so that a few samples on a busy machine find the race.
 */
@JCStressTest
@Outcome(
    id = {"1, 2", "2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "Two numbers.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A number drawn twice.")
@State
public class UnguardedDraw {
  private long word;

  @Actor
  public void first(JJ_Result result) {
    result.r1 = draw();
  }

  @Actor
  public void second(JJ_Result result) {
    result.r2 = draw();
  }

  private long draw() {
    long seen = word;
    TimeSource.system().parkNanos(1);
    word = seen + 1;
    return seen + 1;
  }
}
