package io.firn.benchmarks;

/**
 * Twitter's snowflake of 2010 ({@code IdWorker.scala}), line by line: a lock, the clock inside it,
 * and a loop that reads the clock until the millisecond is over.
 */
final class TwitterPort {

  private final long epochMillis;
  private final int workerBits;
  private final int sequenceBits;
  private final long worker;
  private long lastTimestamp = -1;
  private long sequence;

  TwitterPort(long epochMillis, int workerBits, int sequenceBits, long worker) {
    this.epochMillis = epochMillis;
    this.workerBits = workerBits;
    this.sequenceBits = sequenceBits;
    this.worker = worker;
  }

  synchronized long nextId() {
    long timestamp = System.currentTimeMillis();
    if (timestamp < lastTimestamp) {
      throw new IllegalStateException(
          "The clock moved backwards by " + (lastTimestamp - timestamp) + " ms");
    }
    if (timestamp == lastTimestamp) {
      sequence = (sequence + 1) & ((1L << sequenceBits) - 1);
      if (sequence == 0) {
        timestamp = tilNextMillis();
      }
    } else {
      sequence = 0;
    }
    lastTimestamp = timestamp;
    return (timestamp - epochMillis) << (workerBits + sequenceBits)
        | worker << sequenceBits
        | sequence;
  }

  private long tilNextMillis() {
    long timestamp = System.currentTimeMillis();
    while (timestamp <= lastTimestamp) {
      timestamp = System.currentTimeMillis();
    }
    return timestamp;
  }
}
