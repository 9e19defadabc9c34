package io.firn;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A set of worker IDs, as ranges. Its text form is read back by {@link #of}: {@code 0-31,40}.
 *
 * <p>Where a layout has a datacenter, a worker ID is datacenter and worker as one number, the
 * datacenter above: see {@link IdLayout#workerId}. Sets are immutable values.
 */
public final class WorkerSet {

  /** The largest worker ID of any layout. */
  private static final long MAX = (1L << 62) - 1;

  private static final String ID = "([0-9]{1,18}|[1-4][0-9]{18})";
  private static final Pattern RANGE = Pattern.compile(ID + "(?:-" + ID + ")?");
  private static final int MAX_RANGES = 4_096;

  /**
   * Worker IDs without a gap.
   *
   * @param first the lowest, at least 0
   * @param last the highest, at least {@code first} and below 2^62
   */
  public record Range(long first, long last) {

    /** Checks the bounds. */
    public Range {
      if (first < 0 || last < first || last > MAX) {
        throw new IllegalArgumentException(
            "workers: " + first + "-" + last + " (expected: a range such as 0-31)");
      }
    }

    @Override
    public String toString() {
      return first == last ? Long.toString(first) : first + "-" + last;
    }
  }

  private final List<Range> ranges;

  private WorkerSet(List<Range> ranges) {
    this.ranges = ranges;
  }

  /**
   * Reads worker IDs and ranges with commas between: {@code 0-31,40}.
   *
   * @throws IllegalArgumentException if it is not that, or has more than 4,096 ranges
   */
  public static WorkerSet of(String text) {
    String[] words = text.split(",", -1);
    List<Range> ranges = new ArrayList<>();
    for (String word : words) {
      Matcher range = RANGE.matcher(word);
      if (!range.matches() || words.length > MAX_RANGES) {
        throw new IllegalArgumentException(
            "workers: "
                + text
                + " (expected: worker IDs and ranges such as 0-31,40, at most "
                + MAX_RANGES
                + ")");
      }
      long first = Long.parseLong(range.group(1));
      ranges.add(new Range(first, range.group(2) == null ? first : Long.parseLong(range.group(2))));
    }
    return of(ranges);
  }

  /** Returns the set of the worker IDs of ranges, which may overlap. */
  public static WorkerSet of(List<Range> ranges) {
    List<Range> merged = new ArrayList<>();
    @Nullable Range open = null;
    for (Range range : ranges.stream().sorted(Comparator.comparingLong(Range::first)).toList()) {
      if (open != null && range.first() <= open.last() + 1) {
        open = new Range(open.first(), Math.max(open.last(), range.last()));
        merged.set(merged.size() - 1, open);
      } else {
        open = range;
        merged.add(range);
      }
    }
    return new WorkerSet(List.copyOf(merged));
  }

  /** Returns the set of these worker IDs. */
  public static WorkerSet of(LongStream workers) {
    return of(workers.mapToObj(worker -> new Range(worker, worker)).toList());
  }

  /** Returns the ranges in ascending order; none touches another. */
  public List<Range> ranges() {
    return ranges;
  }

  /** Returns the worker IDs in ascending order. */
  public LongStream stream() {
    return ranges.stream()
        .flatMapToLong(range -> LongStream.rangeClosed(range.first(), range.last()));
  }

  /** Returns how many worker IDs it has. */
  public long size() {
    return ranges.stream().mapToLong(range -> range.last() - range.first() + 1).sum();
  }

  /** Returns whether the worker ID is in the set. */
  public boolean contains(long worker) {
    return ranges.stream().anyMatch(range -> range.first() <= worker && worker <= range.last());
  }

  /**
   * Checks that a layout has these worker IDs.
   *
   * @return this
   * @throws IllegalArgumentException if it has not, or the set is empty
   */
  public WorkerSet within(IdLayout layout) {
    return within("workers", layout.workers() - 1, layout);
  }

  WorkerSet within(String name, long last, IdLayout layout) {
    if (ranges.isEmpty() || ranges.get(ranges.size() - 1).last() > last) {
      throw new IllegalArgumentException(
          name + ": " + this + " (expected: within 0-" + last + ", the layout is " + layout + ")");
    }
    return this;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof WorkerSet set && ranges.equals(set.ranges);
  }

  @Override
  public int hashCode() {
    return ranges.hashCode();
  }

  /** Returns the text form, which {@link #of(String)} reads; {@code none} for an empty set. */
  @Override
  public String toString() {
    return ranges.isEmpty()
        ? "none"
        : ranges.stream().map(Range::toString).collect(Collectors.joining(","));
  }
}
