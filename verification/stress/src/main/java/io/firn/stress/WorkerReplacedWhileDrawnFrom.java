package io.firn.stress;

import io.firn.IdLayout;
import io.firn.IdParts;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** A lease switches to another worker: no tick has IDs of both, and IDs grow. */
@JCStressTest
@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "As promised.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A tick with two workers, or out of order.")
@State
public class WorkerReplacedWhileDrawnFrom {
  private static final IdLayout LAYOUT = IdLayout.of("41t+10w+1s@2026-01-01T00:00:00Z/1ms");

  private final StressLease lease = new StressLease(LAYOUT, StressClock.still());
  private final long[] drawn = new long[10];

  @Actor
  public void draw() {
    Seen.draw(lease.generator(), drawn);
  }

  @Actor
  public void replace() {
    lease.permit(0);
  }

  @Arbiter
  public void judge(ZZZ_Result result) {
    long after = lease.generator().nextId();
    result.r1 = true;
    result.r2 = true;
    for (int i = 0; i < drawn.length; i++) {
      long next = i + 1 < drawn.length ? drawn[i + 1] : after;
      IdParts a = LAYOUT.parse(drawn[i]);
      IdParts b = LAYOUT.parse(next);
      result.r1 &= next > drawn[i];
      result.r2 &= a.tick() != b.tick() || a.worker() == b.worker();
    }
    result.r3 = LAYOUT.parse(after).worker() == 0;
  }
}
