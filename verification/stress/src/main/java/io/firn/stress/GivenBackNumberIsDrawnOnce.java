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
 * The tick is full. One caller is interrupted in its wait and gives its number back, while another
 * draws: the only moment at which the word goes back.
 */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Twice, or out of order.")
@State
public class GivenBackNumberIsDrawnOnce {
  private final StressClock clock = StressClock.still();
  private final Snowflake generator = clock.generator(StressClock.NARROW, 0);
  private final long[] before = new long[4];
  private final long[] kept = new long[1];
  private final long[] drawn = new long[4];

  public GivenBackNumberIsDrawnOnce() {
    generator.nextIds(before);
  }

  @Actor
  public void givesBack() {
    clock.interruptsInPark(Thread.currentThread());
    try {
      kept[0] = generator.nextId();
    } catch (WaitInterruptedException e) {
      // Require wherever this caller has to wait.
    } finally {
      clock.interruptsInPark(null);
      Thread.interrupted();
    }
  }

  @Actor
  public void draws() {
    generator.nextIds(drawn, 0, 2);
    drawn[2] = generator.nextId();
    drawn[3] = generator.nextId();
  }

  @Arbiter
  public void judge(ZZZ_Result result) {
    Seen.judge(result, StressClock.NARROW, Long.MAX_VALUE, before, kept, drawn);
    result.r3 = generator.nextId() > drawn[3];
  }
}
