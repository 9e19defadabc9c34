package io.firn.stress;

import io.firn.Snowflake;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A thread that sees an ID of another thread draws a larger one, wherever the clock is. */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "Both draw a larger one.")
@Outcome(expect = Expect.FORBIDDEN, desc = "One draws a smaller ID than it has seen.")
@State
public class PublishedIdIsSmaller {
  private final Snowflake generator = StressClock.moving().generator(StressClock.NARROW, 2);
  private volatile long fromFirst = -1;
  private volatile long fromSecond = -1;

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
