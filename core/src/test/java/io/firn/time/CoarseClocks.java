package io.firn.time;

import java.util.ArrayList;
import java.util.List;

/** A coarse clock whose ticker is the test. */
public final class CoarseClocks {

  private final List<Runnable> started = new ArrayList<>();
  private final CoarseTimeSource clock;

  public CoarseClocks(TimeSource precise) {
    clock = new CoarseTimeSource(precise, started::add);
  }

  public TimeSource clock() {
    return clock;
  }

  /** Returns how many tickers were started; none of them runs. */
  int started() {
    return started.size();
  }

  /** Lets readings be kept from now on. */
  public CoarseClocks begin() {
    clock.begin();
    return this;
  }

  /** Ends the millisecond that is kept. */
  public void tick() {
    boolean unused = clock.empties();
  }
}
