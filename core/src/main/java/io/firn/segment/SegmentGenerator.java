package io.firn.segment;

import io.firn.IdGenerator;
import io.firn.internal.Word;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * Issues dense, growing numbers from a counter that processes share: 1, 2, 3 … The counter is asked
 * for segments of them, ahead of time and in the background, so that a caller has to wait for it
 * only when it is away for longer than the segments last. Thread-safe.
 *
 * <h2>How it works</h2>
 *
 * Segments stand in a chain, and one of them is drawn from. A caller draws by add-and-fetch on that
 * segment's word. A number behind the segment's end belongs to nobody, and tells that every number
 * of the segment has been drawn; only then does a caller move on to the next segment, and does so
 * for all. So whoever still holds an old segment, however late, draws nothing from it: once a
 * number of one segment is drawn, no number of those before it is any more. Every segment begins
 * past the end of the one before. Hence a call that begins after another has returned, on whatever
 * thread, returns a larger ID.
 *
 * <p>Moving on has the next segments fetched, until as many IDs as the {@linkplain
 * SegmentStats#distance distance} are there behind the one that is drawn from. The distance doubles
 * when callers go hungry, and halves when they don't: as many steps as it takes are asked for at
 * once, so that a small step does not limit the rate.
 *
 * <p>Threads that draw at the same time hand the word's cache line back and forth. As with {@link
 * io.firn.Snowflake}, a caller that finds that it has met another steps aside for a moment after
 * every eighth number, which leaves the line to the other for a run of draws.
 *
 * <h2>What stays true when things go wrong</h2>
 *
 * IDs are unique as long as the source's counter never goes back. A segment that begins before the
 * end of one that this generator was given is refused, and so is everything the generator still
 * holds: others may be given the same numbers. A process that stops without {@link #close} leaves a
 * gap, of what it held and what was on its way.
 */
public final class SegmentGenerator implements IdGenerator, AutoCloseable {

  private static final VarHandle CURRENT;

  static {
    try {
      CURRENT = MethodHandles.lookup().findVarHandle(SegmentGenerator.class, "current", Link.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Supply supply;
  private volatile Link current;

  SegmentGenerator(SegmentGeneratorBuilder settings) {
    Link root = Link.root();
    current = root;
    supply = new Supply(settings, root, () -> current, link -> current = link);
  }

  /**
   * Starts a generator of a key's numbers. A process has one for each key, which all its threads
   * share.
   */
  public static SegmentGeneratorBuilder builder(SegmentSource source, String key) {
    return new SegmentGeneratorBuilder(source, key);
  }

  /** Has the first segment fetched. */
  SegmentGenerator started() {
    supply.request();
    return this;
  }

  /**
   * Issues an ID that is larger than every ID that this generator issued before (with {@link
   * SegmentGeneratorBuilder#interleaved}: that is another one).
   *
   * @throws SegmentUnavailableException if all segments are used up, and no further one has come
   *     within the wait
   * @throws io.firn.WaitInterruptedException if the thread is interrupted and would have to wait
   * @throws IllegalStateException if this generator is closed
   */
  @Override
  public long nextId() {
    Link link = current;
    long seen = link.peek();
    long index = link.draw();
    if (index >= link.count()) {
      return nextIdAfter(link);
    }
    if (index != seen) {
      Word.meet(index);
    }
    return link.idAt(index);
  }

  private long nextIdAfter(Link spent) {
    Patience patience = supply.patience();
    Link link = spent;
    while (true) { // each time another segment, which other callers have used up
      link = follow(link, patience);
      long index = link.draw();
      if (index < link.count()) {
        return link.idAt(index);
      }
    }
  }

  /**
   * Issues IDs as {@link #nextId} does, one reservation for the part of them that is left of a
   * segment. The IDs are increasing, and larger than every ID issued before.
   */
  @Override
  public void nextIds(long[] target, int from, int to) {
    Objects.checkFromToIndex(from, to, target.length);
    Patience patience = supply.patience();
    Link link = current;
    for (int i = from; i < to; ) {
      long index = link.draw(to - i);
      if (index >= link.count()) {
        link = follow(link, patience);
        continue;
      }
      int end = i + (int) Math.min(to - i, link.count() - index);
      for (long id = link.idAt(index); i < end; id += link.stride()) {
        target[i++] = id;
      }
    }
  }

  /** The segment that is drawn from after one that is used up, which is waited for if need be. */
  private Link follow(Link spent, Patience patience) {
    Link now = current;
    if (now != spent) {
      return now;
    }
    Link next = spent.next();
    if (next == null) {
      next = supply.await(spent, patience);
    }
    // Volatile: whoever finds the next link here draws after the last number of this one.
    if (CURRENT.compareAndSet(this, spent, next)) {
      supply.request();
    }
    return next;
  }

  /** How many IDs can be issued without waiting, as long as nobody else draws them. */
  public long left() {
    return supply.left();
  }

  /** What happened so far. Not for the hot path. */
  public SegmentStats stats() {
    return supply.stats();
  }

  /**
   * Ends this generator: no ID is issued any more. What is left of its segments is given back,
   * unless somebody was given later numbers. Waits for a fetch that is under way.
   */
  @Override
  public void close() {
    supply.close();
  }

  @Override
  public String toString() {
    return "SegmentGenerator[" + supply + "]";
  }
}
