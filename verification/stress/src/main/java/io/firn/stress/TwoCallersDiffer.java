package io.firn.stress;

import io.firn.IdLayout;
import io.firn.Snowflake;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.JJ_Result;

/** The next two numbers of a tick that is under way go to two callers. */
@JCStressTest
@Outcome(
    id = {"1, 2", "2, 1"},
    expect = Expect.ACCEPTABLE,
    desc = "The next two numbers.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A number twice, or one that was not due.")
@State
public class TwoCallersDiffer {
  private final Snowflake generator = StressClock.still().generator(IdLayout.CLASSIC, 0);

  public TwoCallersDiffer() {
    generator.nextId();
  }

  @Actor
  public void first(JJ_Result result) {
    result.r1 = generator.nextId() & 4095;
  }

  @Actor
  public void second(JJ_Result result) {
    result.r2 = generator.nextId() & 4095;
  }
}
