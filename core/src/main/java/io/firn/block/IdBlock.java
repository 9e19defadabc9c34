package io.firn.block;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.internal.Require;
import java.io.InvalidObjectException;
import java.io.ObjectInputStream;
import java.io.Serializable;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.PrimitiveIterator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A range of IDs that is reserved for its owner. Needs no store and no clock: the ID at an index is
 * computed. Immutable and thread-safe; it can be serialized, and written as text.
 *
 * <p>The IDs are those of some workers in a range of ticks. They grow with the index: the tick is
 * the highest digit of the index, then come worker and sequence in the order of the layout.
 */
public final class IdBlock implements Iterable<Long>, Serializable {

  /** The most workers that one block spreads over. */
  public static final int MAX_WORKERS = 64;

  private static final long serialVersionUID = 1L;
  private static final String KIND = "firn-block/1";

  private final transient String namespace;
  private final transient IdLayout layout;
  private final transient long size;
  private final transient long firstTick;
  private final transient List<Long> workers;
  private final transient long[] workerBits;
  private final transient int tickDigit;
  private final transient int workerDigit;
  private final transient int sequenceDigit;
  private final transient long sequenceMask;
  private final transient int timeShift;
  private final transient int sequenceShift;

  /**
   * Creates a block.
   *
   * @param namespace the namespace of the IDs
   * @param layout their layout, in which the time is above the sequence
   * @param size how many IDs there are, 1 or more
   * @param firstTick the tick of the first ID, since the layout's epoch
   * @param workers the workers, ascending: 1, 2, 4 and so on up to {@link #MAX_WORKERS} of them
   * @throws IllegalArgumentException if a value is out of its range
   */
  IdBlock(String namespace, IdLayout layout, long size, long firstTick, List<Long> workers) {
    this.namespace = Require.name("namespace", namespace);
    this.layout = requireOrder(layout);
    this.size = Require.inRange("size", 1, Long.MAX_VALUE, size);
    this.firstTick = Require.notNegative("tick", firstTick);
    this.workers = List.copyOf(workers);
    requireWorkers();
    int log = Integer.numberOfTrailingZeros(workers.size());
    int sequenceBits = layout.bits(Kind.SEQUENCE);
    timeShift = layout.shift(Kind.TIME);
    sequenceShift = layout.shift(Kind.SEQUENCE);
    boolean workerBelow = layout.shift(Kind.WORKER) < sequenceShift;
    workerDigit = workerBelow ? 0 : sequenceBits;
    sequenceDigit = workerBelow ? log : 0;
    tickDigit = sequenceBits + log;
    sequenceMask = (1L << sequenceBits) - 1;
    workerBits = workers.stream().mapToLong(layout::placeWorkerId).toArray();
    requireEnd();
  }

  private void requireEnd() {
    if ((size - 1) >>> tickDigit > layout.lastPositiveTick() - firstTick) {
      throw new IllegalArgumentException(
          "size: " + size + " (expected: an end before " + layout.positiveUntil() + ")");
    }
  }

  private void requireWorkers() {
    int count = workers.size();
    boolean power = Integer.bitCount(count) == 1 && count <= MAX_WORKERS;
    boolean ascending =
        IntStream.range(1, count).allMatch(i -> workers.get(i - 1) < workers.get(i));
    boolean known = workers.stream().allMatch(worker -> worker >= 0 && worker < layout.workers());
    if (!power || !ascending || !known || (count > 1 && !spreads(layout))) {
      throw new IllegalArgumentException(
          "workers: " + workers + " (expected: 1, 2, 4.. of " + layout.workers() + ", ascending)");
    }
  }

  /**
   * Returns the layout if blocks of it can be made.
   *
   * @throws IllegalArgumentException if its sequence is above the time
   */
  static IdLayout requireOrder(IdLayout layout) {
    if (layout.shift(Kind.SEQUENCE) > layout.shift(Kind.TIME)) {
      throw new IllegalArgumentException(
          "layout: " + layout + " (expected: the time above the sequence, for blocks that grow)");
    }
    return layout;
  }

  /** Returns whether the IDs of several workers in the same ticks grow with the index. */
  static boolean spreads(IdLayout layout) {
    boolean timeFirst = layout.fields().get(0).kind() == Kind.TIME;
    int above = layout.shift(Kind.WORKER) + layout.bits(Kind.WORKER);
    return timeFirst
        && (layout.bits(Kind.DATACENTER) == 0 || layout.shift(Kind.DATACENTER) == above);
  }

  /** Returns the namespace of the IDs. */
  public String namespace() {
    return namespace;
  }

  /** Returns the layout of the IDs. */
  public IdLayout layout() {
    return layout;
  }

  /** Returns how many IDs there are, 1 or more. */
  public long size() {
    return size;
  }

  /** Returns the workers of the IDs, ascending; datacenter and worker as one number. */
  public List<Long> workers() {
    return workers;
  }

  /** Returns the tick of the first ID, since the layout's epoch. */
  public long firstTick() {
    return firstTick;
  }

  /**
   * Returns the ID at an index. A larger index has a larger ID.
   *
   * @param index 0..size-1
   * @throws IndexOutOfBoundsException if it is not
   */
  public long get(long index) {
    Objects.checkIndex(index, size);
    long tick = firstTick + (index >>> tickDigit);
    int worker = (int) (index >>> workerDigit) & (workerBits.length - 1);
    long sequence = (index >>> sequenceDigit) & sequenceMask;
    return tick << timeShift | workerBits[worker] | sequence << sequenceShift;
  }

  /** Returns the first, and smallest, ID. */
  public long first() {
    return get(0);
  }

  /** Returns the last, and largest, ID. */
  public long last() {
    return get(size - 1);
  }

  private Instant instantOf(long index) {
    return layout.instantAt(firstTick + (index >>> tickDigit));
  }

  /** Returns the time of the first ID. */
  public Instant from() {
    return instantOf(0);
  }

  /** Returns the end of the last ID's tick. */
  public Instant until() {
    return instantOf(size - 1).plus(layout.tick());
  }

  /** Returns the IDs in ascending order, without boxing by {@link PrimitiveIterator.OfLong}. */
  @Override
  public PrimitiveIterator.OfLong iterator() {
    return new PrimitiveIterator.OfLong() {
      private long next;

      @Override
      public boolean hasNext() {
        return next < size;
      }

      @Override
      public long nextLong() {
        if (next == size) {
          throw new NoSuchElementException();
        }
        return get(next++);
      }
    };
  }

  /**
   * Returns the block that {@link #toString} wrote.
   *
   * @throws IllegalArgumentException if it is no text of a block
   */
  public static IdBlock parse(String text) {
    String[] words = text.split(" ", -1);
    if (words.length != 6 || !words[0].equals(KIND)) {
      throw refused(text);
    }
    try {
      return new IdBlock(
          value(text, words[1], "namespace"),
          IdLayout.of(value(text, words[2], "layout")),
          number(value(text, words[3], "size")),
          number(value(text, words[4], "tick")),
          workersOf(value(text, words[5], "workers")));
    } catch (NumberFormatException e) {
      throw refused(text);
    }
  }

  private static String value(String text, String word, String key) {
    if (!word.startsWith(key + "=")) {
      throw refused(text);
    }
    return word.substring(key.length() + 1);
  }

  private static IllegalArgumentException refused(String text) {
    return new IllegalArgumentException(
        "block: "
            + text
            + " (expected: "
            + KIND
            + " namespace=NAME layout=LAYOUT size=N tick=N workers=N,..)");
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof IdBlock block && toString().equals(block.toString());
  }

  @Override
  public int hashCode() {
    return toString().hashCode();
  }

  /** Returns the text of the block, which {@link #parse} reads: all of it, in one line. */
  @Override
  public String toString() {
    return KIND
        + " namespace="
        + namespace
        + " layout="
        + layout
        + " size="
        + size
        + " tick="
        + firstTick
        + " workers="
        + workersText();
  }

  /** Returns the workers with commas between, as {@link #workersOf} reads them. */
  String workersText() {
    return workers.stream().map(String::valueOf).collect(Collectors.joining(","));
  }

  static List<Long> workersOf(String text) {
    return Arrays.stream(text.split(",", -1)).map(IdBlock::number).toList();
  }

  /** Reads what {@link Long#toString(long)} writes, and nothing else. */
  private static long number(String text) {
    long number = Long.parseLong(text);
    if (!Long.toString(number).equals(text)) {
      throw new NumberFormatException(text);
    }
    return number;
  }

  private Object writeReplace() {
    return new Text(toString());
  }

  private void readObject(ObjectInputStream stream) throws InvalidObjectException {
    throw new InvalidObjectException("block: a stream of fields (expected: its text)");
  }

  /** The serialized form: the text. */
  private record Text(String block) implements Serializable {
    private Object readResolve() {
      return parse(block);
    }
  }
}
