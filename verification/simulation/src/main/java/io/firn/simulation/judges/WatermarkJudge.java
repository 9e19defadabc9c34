package io.firn.simulation.judges;

import io.firn.simulation.world.Violation;
import java.util.Map;
import java.util.TreeMap;

/** No row is committed at or below a watermark that a reader received before. */
public final class WatermarkJudge {

  /** The highest watermark that readers had received, by time. */
  private final TreeMap<Long, Long> received = new TreeMap<>();

  private long receivedBeforeMillis = Long.MIN_VALUE;
  private long rows;

  /**
   * Records a watermark.
   *
   * @param beforeMillis its time
   * @param nanos when a reader received it
   */
  public void received(long watermark, long beforeMillis, long nanos) {
    receivedBeforeMillis = Math.max(receivedBeforeMillis, beforeMillis);
    received.put(nanos, Math.max(watermark, receivedUntil(nanos)));
  }

  /**
   * Records a row.
   *
   * @param nanos when it was committed; its event may come later, where the world is busy
   * @throws Violation if readers are past it
   */
  public void committed(long id, long nanos) {
    rows++;
    if (id <= receivedUntil(nanos)) {
      throw new Violation(
          "the row of " + id + " was committed below the watermark " + receivedUntil(nanos));
    }
  }

  private long receivedUntil(long nanos) {
    Map.Entry<Long, Long> newest = received.floorEntry(nanos);
    return newest == null ? -1 : newest.getValue();
  }

  /** Returns how many rows were committed. */
  public long rows() {
    return rows;
  }

  /** Returns the time of the highest watermark that a reader received. */
  public long receivedBeforeMillis() {
    return receivedBeforeMillis;
  }
}
