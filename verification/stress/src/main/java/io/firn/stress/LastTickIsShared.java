package io.firn.stress;

import io.firn.IdLayout;
import io.firn.LayoutExpiredException;
import io.firn.Snowflake;
import java.time.Duration;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.IZ_Result;

/** Six calls want the four numbers of the layout's last tick. */
@JCStressTest
@Outcome(id = "4, true", expect = Expect.ACCEPTABLE, desc = "Four get one, two an exception.")
@Outcome(expect = Expect.FORBIDDEN, desc = "A number past the end, twice, or lost.")
@State
public class LastTickIsShared {
  private static final IdLayout ENDING =
      IdLayout.builder()
          .time(4)
          .worker(2)
          .sequence(2)
          .epoch(StressClock.NARROW.epoch().plus(Duration.ofDays(365)).minusMillis(14))
          .build();

  private final Snowflake generator = StressClock.still().generator(ENDING, 0);
  private final long[] first = new long[3];
  private final long[] second = new long[3];

  @Actor
  public void first() {
    draw(first);
  }

  @Actor
  public void second() {
    draw(second);
  }

  private void draw(long[] ids) {
    for (int i = 0; i < ids.length; i++) {
      try {
        ids[i] = generator.nextId();
      } catch (LayoutExpiredException e) {
        ids[i] = -1;
      }
    }
  }

  @Arbiter
  public void judge(IZ_Result result) {
    boolean inside = true;
    long numbers = 0;
    for (long[] ids : new long[][] {first, second}) {
      for (long id : ids) {
        if (id >= 0) {
          inside &= ENDING.parse(id).tick() == 15;
          numbers |= 1L << (id & 3);
        }
      }
    }
    result.r1 = Long.bitCount(numbers);
    result.r2 = inside && generator.stats().issued() == 4;
  }
}
