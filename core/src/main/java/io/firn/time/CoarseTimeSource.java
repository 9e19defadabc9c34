package io.firn.time;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Consumer;

/**
 * A wall clock that one reader in each millisecond reads for all others.
 *
 * <h2>How it works</h2>
 *
 * One word holds the newest millisecond. A thread, the ticker, empties it as each millisecond
 * begins; the next reader finds it empty, reads the clock and fills it. So the first reading after
 * a pause is the clock's, and no reader waits for the ticker. A ticker that finds the word still
 * empty knows that there are no readers. After a second without readers it ends.
 *
 * <p>Without a ticker the word says so, and each reader asks the clock. The second reading within
 * one millisecond starts a ticker; few readings are worth none. A ticker that cannot start, or that
 * fails, leaves a word that sends readers to the clock.
 *
 * <p>A reader that is stopped between its reading and its write of the word may write an old
 * millisecond, which lasts until the ticker empties the word again.
 */
final class CoarseTimeSource extends PublishedMillis implements TimeSource {

  // Padded on both sides: the word is read for each ID, and written once a millisecond.
  @SuppressWarnings("unused")
  private long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, qa, qb, qc, qd, qe;

  /** No thread has read since the ticker emptied the word. */
  private static final long EMPTY = -1;

  /** There is no ticker. */
  private static final long STOPPED = -2;

  /** A ticker is being started. */
  private static final long STARTING = -3;

  /** The number of ticks without a reader after which the ticker ends: a second. */
  static final int IDLE_TICKS = 1_000;

  private static final VarHandle WORD;

  static {
    try {
      WORD = MethodHandles.lookup().findVarHandle(PublishedMillis.class, "word", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final TimeSource precise;
  private final Consumer<Runnable> threads;

  /** The newest reading without a ticker; a race loses a start, and the next reading starts it. */
  private volatile long newestAlone = Long.MIN_VALUE;

  private int emptyTicks;

  /**
   * Creates a clock without a ticker.
   *
   * @param threads runs the ticker in a thread of its own
   */
  CoarseTimeSource(TimeSource precise, Consumer<Runnable> threads) {
    this.precise = precise;
    this.threads = threads;
    word = STOPPED;
  }

  /** The only one outside of tests. */
  static final class OfProcess {
    static final TimeSource INSTANCE =
        new CoarseTimeSource(TimeSource.system(), CoarseTimeSource::startDaemon);
  }

  /** Inherits neither thread locals nor the context class loader: it pins no application. */
  private static void startDaemon(Runnable work) {
    Thread thread = new Thread(null, work, "firn-clock", 0, false);
    thread.setDaemon(true);
    thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
    thread.start();
  }

  /** Reads in opaque mode: no other value is read on the strength of a time. */
  @Override
  public long currentTimeMillis() {
    long millis = (long) WORD.getOpaque(this);
    return millis >= 0 ? millis : read(millis);
  }

  private long read(long seen) {
    long now = precise.currentTimeMillis();
    if (seen == EMPTY && now >= 0) {
      WORD.compareAndSet(this, EMPTY, now);
    } else if (seen == STOPPED) {
      if (newestAlone == now && WORD.compareAndSet(this, STOPPED, STARTING)) {
        start();
      }
      newestAlone = now;
    }
    return now;
  }

  private void start() {
    try {
      threads.accept(this::tick);
    } catch (Throwable e) { // no memory, or no more threads: readers ask the clock, and try again
      WORD.setVolatile(this, STOPPED);
    }
  }

  private void tick() {
    try {
      begin();
      do {
        boolean unused = Thread.interrupted(); // or it would not park any more
        long now = precise.currentTimeMillis();
        precise.parkUntil(now + 1, now);
      } while (empties());
    } finally {
      WORD.setVolatile(this, STOPPED); // after a failure too
    }
  }

  /** Lets readers fill the word. */
  void begin() {
    emptyTicks = 0;
    WORD.setVolatile(this, EMPTY);
  }

  /** Empties the word, and returns whether the ticker goes on. */
  boolean empties() {
    boolean read = (long) WORD.getAndSet(this, EMPTY) != EMPTY;
    emptyTicks = read ? 0 : emptyTicks + 1;
    return emptyTicks < IDLE_TICKS;
  }

  @Override
  public TimeSource precise() {
    return precise;
  }

  @Override
  public long nanoTime() {
    return precise.nanoTime();
  }

  @Override
  public void parkNanos(long nanos) {
    precise.parkNanos(nanos);
  }

  @Override
  public void parkUntil(long dueMillis, long nowMillis) {
    precise.parkUntil(dueMillis, nowMillis);
  }

  @Override
  public long random(long bound) {
    return precise.random(bound);
  }

  @Override
  public void randomBytes(byte[] target) {
    precise.randomBytes(target);
  }
}

class PaddingBefore {
  @SuppressWarnings("unused")
  private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, pa, pb, pc, pd, pe;
}

class PublishedMillis extends PaddingBefore {
  long word;
}
