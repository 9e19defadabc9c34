package io.firn.server;

import io.firn.time.TimeSource;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for IDs of one namespace. Thread-safe.
 *
 * <h2>How it works</h2>
 *
 * No thread waits: a timer of an event loop tries again until every request has its IDs, or its
 * time is over. Requests take turns and get a few IDs in each. Short ones, which want a few IDs,
 * have turns together, so that they are not delayed by those for thousands that came before. While
 * requests wait, later ones wait behind them.
 *
 * <p>The pause between two tries grows in proportion to the time since the last ID: no tick is
 * missed, and an outage costs little.
 *
 * <p>A failure of the generator is the answer to all waiting requests, because it means that
 * waiting does not help. A request is also refused when its time, counted from its arrival, is
 * over. IDs that are issued meanwhile add to that time, because later requests have turns, too.
 * Time in which the loop could not try does not count, because the process was suspended or had no
 * processor: the IDs of those ticks are lost. One whose future is canceled is forgotten.
 */
final class DrawQueue {

  /** IDs that a request gets before others have their turn. */
  private static final int TURN_IDS = 256;

  /** IDs that are drawn before the loop has its turn for other work. */
  private static final int MAX_RUN_IDS = 1 << 16;

  private static final long MIN_PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(250);
  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** The most time between two checks that counts. More passes only if the loop was late. */
  private static final long MAX_CHECK_NANOS = 2 * MAX_PAUSE_NANOS;

  /** The part of the time since the last ID that a pause takes. */
  private static final int PAUSE_SHARE = 4;

  private final OpenNamespace namespace;
  private final EventExecutor loop;
  private final TimeSource time;
  private final Backlog backlog;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Draw> shortDraws = new ArrayDeque<>();
  private final Deque<Draw> longDraws = new ArrayDeque<>();

  /** By how many IDs the short requests are ahead of the long ones, up to a turn. */
  private int shortIds;

  private long wantedIds;

  /** Those of them that short requests want. */
  private long wantedShortIds;

  private boolean planned;
  private long lastIdNanos;
  private long checkedNanos;

  /** The time in which requests waited until the last check, as far as it counts. */
  private long waitedNanos;

  /** The IDs that were issued to requests that waited. */
  private long issuedIds;

  private volatile @Nullable RequestException closed;
  private volatile int size;

  DrawQueue(OpenNamespace namespace, EventExecutor loop, TimeSource time, Backlog backlog) {
    this.namespace = namespace;
    this.loop = loop;
    this.time = time;
    this.backlog = backlog;
  }

  /** A request that waits. */
  private static final class Draw extends CompletableFuture<long[]> {

    private final long[] ids;
    private final long waitedNanos;
    private final long issuedIds;
    private int filled;

    /**
     * Creates a request.
     *
     * @param waitedNanos {@link DrawQueue#waitedNanos} at its arrival
     * @param issuedIds {@link DrawQueue#issuedIds} at its arrival
     */
    Draw(long[] ids, int filled, long waitedNanos, long issuedIds) {
      this.ids = ids;
      this.filled = filled;
      this.waitedNanos = waitedNanos;
      this.issuedIds = issuedIds;
    }

    int left() {
      return ids.length - filled;
    }
  }

  /** Returns how many requests wait. */
  int size() {
    return size;
  }

  boolean isClosed() {
    return closed != null;
  }

  /**
   * Adds a request.
   *
   * @param ids its IDs, of which the first {@code issued} are there
   * @throws RequestException if it cannot wait
   */
  CompletableFuture<long[]> add(long[] ids, int issued, int count) {
    lock.lock();
    try {
      RequestException refusal = closed;
      if (refusal != null) {
        throw refusal;
      }
      namespace.checkWait(idsBefore(count), count - issued);
      if (!backlog.add(count)) {
        throw full();
      }
      long now = time.nanoTime();
      if (isEmpty()) {
        lastIdNanos = now;
        checkedNanos = now;
      }
      Draw draw = new Draw(Arrays.copyOf(ids, count), issued, waitedNanos, issuedIds);
      (Backlog.isShort(count) ? shortDraws : longDraws).add(draw);
      want(draw, draw.left());
      updateSize();
      plan(MIN_PAUSE_NANOS);
      return draw;
    } finally {
      lock.unlock();
    }
  }

  private boolean isEmpty() {
    return shortDraws.isEmpty() && longDraws.isEmpty();
  }

  private void updateSize() {
    size = shortDraws.size() + longDraws.size();
  }

  /** Returns an upper bound of the IDs that others draw before a request for {@code count} IDs. */
  private long idsBefore(int count) {
    return Backlog.isShort(count) ? Math.min(wantedIds, 2 * wantedShortIds + TURN_IDS) : wantedIds;
  }

  /** Adds to the number of IDs that requests of the same kind still wait for. */
  private void want(Draw draw, int ids) {
    wantedIds += ids;
    if (Backlog.isShort(draw.ids.length)) {
      wantedShortIds += ids;
    }
  }

  private RequestException full() {
    return new RequestException(
        RequestException.Kind.UNAVAILABLE,
        "Namespace "
            + namespace.name()
            + " has no ID to issue now, and this server has no memory to queue another request");
  }

  private void plan(long pauseNanos) {
    if (planned || isEmpty()) {
      return;
    }
    planned = true;
    try {
      loop.schedule(this::run, pauseNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      refuseAll(RequestException.of(e));
    }
  }

  private void run() {
    lock.lock();
    try {
      planned = false;
      int issued = issue();
      long now = time.nanoTime();
      if (issued > 0) {
        lastIdNanos = now;
      }
      if (now - checkedNanos >= MAX_PAUSE_NANOS) {
        waitedNanos += Math.min(now - checkedNanos, MAX_CHECK_NANOS);
        checkedNanos = now;
        refuseOverdue(shortDraws);
        refuseOverdue(longDraws);
      }
      long pause = Math.max(MIN_PAUSE_NANOS, (now - lastIdNanos) / PAUSE_SHARE);
      plan(issued >= MAX_RUN_IDS ? 0 : Math.min(MAX_PAUSE_NANOS, pause));
    } catch (RuntimeException | Error e) { // any exception of a generator is the clients' answer
      refuseAll(RequestException.of(e));
    } finally {
      updateSize();
      lock.unlock();
    }
  }

  /** Issues what there is, in turns, and returns how many IDs that was. */
  private int issue() {
    int issued = 0;
    while (!isEmpty() && issued < MAX_RUN_IDS) {
      Deque<Draw> turn = turn();
      Draw draw = turn.element();
      int wanted = draw.isDone() ? 0 : Math.min(TURN_IDS, draw.left());
      int got = namespace.tryNextIds(draw.ids, draw.filled, draw.filled + wanted);
      issued += got;
      issuedIds += got;
      draw.filled += got;
      want(draw, -got);
      shortIds =
          turn == longDraws ? Math.max(0, shortIds - got) : Math.min(TURN_IDS, shortIds + got);
      if (got < wanted) {
        break;
      }
      turn.remove();
      if (wanted == 0 || draw.left() == 0) {
        forget(draw);
        draw.complete(draw.ids);
      } else {
        turn.add(draw);
      }
    }
    return issued;
  }

  /** Returns the requests of which the first has its turn: the short ones, or the long ones. */
  private Deque<Draw> turn() {
    boolean isShort = longDraws.isEmpty() || (!shortDraws.isEmpty() && shortIds < TURN_IDS);
    return isShort ? shortDraws : longDraws;
  }

  private void refuseOverdue(Deque<Draw> waiting) {
    for (Iterator<Draw> each = waiting.iterator(); each.hasNext(); ) {
      Draw draw = each.next();
      long maxNanos = namespace.maxWaitNanos(issuedIds - draw.issuedIds);
      if (draw.isDone() || waitedNanos - draw.waitedNanos >= maxNanos) {
        each.remove();
        forget(draw);
        draw.completeExceptionally(namespace.overdue(draw.ids.length, maxNanos));
      }
    }
  }

  private void refuseAll(RequestException reason) {
    while (!isEmpty()) {
      Draw draw = turn().remove();
      forget(draw);
      draw.completeExceptionally(reason);
    }
    size = 0;
  }

  private void forget(Draw draw) {
    want(draw, -draw.left());
    backlog.remove(draw.ids.length);
  }

  /** Refuses all waiting requests, and every later one. */
  void close(RequestException refusal) {
    lock.lock();
    try {
      closed = refusal;
      refuseAll(refusal);
    } finally {
      lock.unlock();
    }
  }
}
