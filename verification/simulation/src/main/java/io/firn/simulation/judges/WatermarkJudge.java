package io.firn.simulation.judges;

import io.firn.simulation.world.Violation;
import java.util.Map;
import java.util.TreeMap;

/** No row is committed at or below a watermark that a reader received before. */
public final class WatermarkJudge {

  /** The highest watermark that readers had received, by time. */
  private final TreeMap<Long, Long> told = new TreeMap<>();

  private long toldBeforeMillis = Long.MIN_VALUE;
  private long rows;

  /**
   * Records a watermark.
   *
   * @param beforeMillis its time
   * @param nanos when it was told
   */
  public void told(long watermark, long beforeMillis, long nanos) {
    toldBeforeMillis = Math.max(toldBeforeMillis, beforeMillis);
    told.put(nanos, Math.max(watermark, toldUntil(nanos)));
  }

  /**
   * Records a row.
   *
   * @param nanos when it was committed; its event may come later, where the world is busy
   * @throws Violation if readers are past it
   */
  public void committed(long id, long nanos) {
    rows++;
    if (id <= toldUntil(nanos)) {
      throw new Violation(
          "the row of " + id + " was committed below the watermark " + toldUntil(nanos));
    }
  }

  private long toldUntil(long nanos) {
    Map.Entry<Long, Long> newest = told.floorEntry(nanos);
    return newest == null ? -1 : newest.getValue();
  }

  /** Returns how many rows were committed. */
  public long rows() {
    return rows;
  }

  /** Returns the time of the highest watermark that was told. */
  public long toldBeforeMillis() {
    return toldBeforeMillis;
  }
}
