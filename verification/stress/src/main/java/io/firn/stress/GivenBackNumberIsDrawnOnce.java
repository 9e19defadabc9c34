package io.firn.stress;

import io.firn.Snowflake;
import io.firn.WaitInterruptedException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/**
 * The tick is full. One caller is interrupted in its wait and gives its number back, while others
 * draw: the only moment at which the word goes back.
 */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Twice, or out of order.")
@State
public class GivenBackNumberIsDrawnOnce {
  private final StressClock clock = StressClock.still();
  private final Snowflake generator = clock.generator(StressClock.NARROW, 0);
  private final long[] before = new long[4];
  private final long[] first = new long[2];
  private final long[] second = new long[2];

  public GivenBackNumberIsDrawnOnce() {
    generator.nextIds(before);
  }

  @Actor
  public void givesBack() {
    clock.interruptsInPark(Thread.currentThread());
    try {
      generator.nextId();
    } catch (WaitInterruptedException e) {
      // Expected wherever this caller had to wait.
    } finally {
      clock.interruptsInPark(null);
      Thread.interrupted();
    }
  }

  @Actor
  public void first() {
    generator.nextIds(first);
  }

  @Actor
  public void second() {
    second[0] = generator.nextId();
    second[1] = generator.nextId();
  }

  @Arbiter
  public void judge(ZZZ_Result result) {
    long[] after = {Math.max(first[1], second[1]), generator.nextId()};
    Seen.judge(result, StressClock.NARROW, Long.MAX_VALUE, before, first, second);
    result.r3 = after[1] > after[0];
  }
}
