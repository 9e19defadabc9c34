package io.firn.stress;

import io.firn.GeneratorClosedException;
import io.firn.IdLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * Nothing is drawn at or past the time to which a lease sets its fence back. In a layout without a
 * sequence the tick of a closed word is behind the clock's.
 */
@JCStressTest
@Outcome(id = "true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "Past the fence, or out of order.")
@State
public class LeaseClosedWhileDrawnFrom {
  private static final IdLayout NO_SEQUENCE = IdLayout.of("41t+10w@2026-01-01T00:00:00Z/1ms");

  private final StressLease lease = new StressLease(NO_SEQUENCE, StressClock.moving());
  private final long[] drawn = new long[6];
  private int count;
  private long end;

  @Actor
  public void draw() {
    try {
      while (count < drawn.length) {
        drawn[count] = lease.generator().nextId();
        count++;
      }
    } catch (GeneratorClosedException closed) {
      Thread.onSpinWait();
    }
  }

  @Actor
  public void close() {
    end = lease.close();
  }

  @Arbiter
  public void judge(ZZ_Result result) {
    result.r1 = true;
    result.r2 = true;
    for (int i = 0; i < count; i++) {
      result.r1 &= NO_SEQUENCE.parse(drawn[i]).instant().toEpochMilli() < end;
      result.r2 &= i == 0 || drawn[i] > drawn[i - 1];
    }
  }
}
