package io.firn.verify;

import io.firn.verify.Repeats.Repeat;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A search for duplicates among any number of IDs.
 *
 * <p>An ID goes into one of 256 buckets by its hash, so all of its occurrences are in one bucket.
 * Buckets are written to one temporary file, in chunks, once they are larger than that. When all
 * IDs are read, each bucket is sorted by itself. So memory holds the chunks that are being filled,
 * and one bucket a processor: 256 times less than all IDs.
 *
 * <p>An ID is 64 bits: {@code -1} and {@code 18446744073709551615} are the same. Order is that of
 * unsigned numbers, and that of signed ones from the first negative number on.
 *
 * <p>For one thread.
 */
public final class Verification implements Closeable {

  private static final int BUCKET_BITS = 8;

  /** The number of parts of a search. */
  public static final int PARTS = 1 << BUCKET_BITS;

  private static final int MIN_SHARE = 1 << 12;

  /** The number of IDs that are read between two calls of what shows progress. */
  private static final int PROGRESS_MASK = (1 << 20) - 1;

  /**
   * A place in a file.
   *
   * @param file its name
   * @param line the number of the line, from 1
   */
  public record Place(String file, long line) {
    @Override
    public String toString() {
      return file + ":" + line;
    }
  }

  /**
   * An ID that was found more than once.
   *
   * @param places the first eight, in the order of reading
   */
  public record Duplicate(long id, List<Place> places) {}

  /**
   * The result.
   *
   * @param repeatedIds the number of IDs on more than one line
   * @param extraLines how many lines these have beyond one each
   * @param duplicates the first of them
   */
  public record Result(long repeatedIds, long extraLines, List<Duplicate> duplicates) {}

  /**
   * An ID that is smaller than the one before it in the same file.
   *
   * @param id the smaller one
   * @param before the one before
   */
  public record Descent(long id, long before, Place place) {}

  /**
   * The contents of a file.
   *
   * @param name its name
   * @param ids how many IDs
   * @param badLines how many lines without one that were passed over
   */
  public record FileCount(String name, long ids, long badLines) {}

  /** A file as it is read. Line numbers of files follow each other in positions. */
  private record Source(String name, long firstPosition) {}

  private final LineFormat format;
  private final boolean skipBad;
  private final Spill spill;
  private final Bucket[] buckets = new Bucket[PARTS];
  private final List<Source> sources = new ArrayList<>();
  private final List<FileCount> files = new ArrayList<>();
  private final Sample sample = new Sample();
  private long lines;
  private long count;
  private long badLines;
  private @Nullable String firstBad;
  private long descents;
  private @Nullable Descent firstDescent;
  private boolean signed;
  private long smallest = -1;
  private long largest;
  private long smallestSigned = Long.MAX_VALUE;
  private long largestSigned = Long.MIN_VALUE;

  /**
   * Starts a verification.
   *
   * @param skipBad whether lines without an ID are counted and passed over
   * @param directory where the temporary file is made
   */
  public Verification(LineFormat format, boolean skipBad, Path directory) {
    this.format = format;
    this.skipBad = skipBad;
    spill = new Spill(directory);
    for (int i = 0; i < buckets.length; i++) {
      buckets[i] = new Bucket(spill);
    }
  }

  /**
   * Reads all IDs of a stream.
   *
   * @param name the file in messages
   * @param progress called now and then with the number of bytes that were read
   * @throws BadLineException if a line has no ID, unless such lines are skipped
   * @throws IllegalArgumentException if there is no column of that name
   */
  public void read(String name, InputStream in, LongConsumer progress) throws IOException {
    LineReader reader = new LineReader(name, in, format);
    sources.add(new Source(name, lines));
    long first = lines;
    long countBefore = count;
    long badBefore = badLines;
    try {
      long before = 0;
      while (next(reader)) {
        long id = reader.id();
        lines = first + reader.line();
        signed |= reader.negative();
        if (count > countBefore && compare(id, before) < 0) {
          descend(id, before, reader.line());
        }
        before = id;
        add(id, lines - 1);
        if ((count & PROGRESS_MASK) == 0) {
          progress.accept(reader.bytes());
        }
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    lines = first + reader.line();
    files.add(new FileCount(name, count - countBefore, badLines - badBefore));
    progress.accept(reader.bytes());
  }

  private int compare(long id, long other) {
    return signed ? Long.compare(id, other) : Long.compareUnsigned(id, other);
  }

  private boolean next(LineReader reader) throws IOException {
    for (; ; ) {
      try {
        return reader.next();
      } catch (BadLineException e) {
        if (!skipBad) {
          throw e;
        }
        badLines++;
        firstBad = firstBad == null ? e.getMessage() : firstBad;
      }
    }
  }

  private void descend(long id, long before, long line) {
    descents++;
    if (firstDescent == null) {
      Place place = new Place(sources.get(sources.size() - 1).name(), line);
      firstDescent = new Descent(id, before, place);
    }
  }

  private void add(long id, long position) {
    count++;
    sample.add(id);
    if (Long.compareUnsigned(id, smallest) < 0) {
      smallest = id;
    }
    if (Long.compareUnsigned(id, largest) > 0) {
      largest = id;
    }
    smallestSigned = Math.min(smallestSigned, id);
    largestSigned = Math.max(largestSigned, id);
    long hash = id * 0x9e3779b97f4a7c15L;
    buckets[(int) (hash >>> (Long.SIZE - BUCKET_BITS))].add(id, position);
  }

  /**
   * Searches all IDs that were read for duplicates.
   *
   * @param shown how many of them are listed
   * @param progress called with the number of parts that were searched, of {@link #PARTS}; by any
   *     thread
   */
  public Result search(int shown, LongConsumer progress) throws IOException {
    AtomicLong done = new AtomicLong();
    try {
      Repeats repeats =
          IntStream.range(0, buckets.length)
              .parallel()
              .mapToObj(
                  i -> {
                    Repeats found = buckets[i].repeats(shown, share());
                    progress.accept(done.incrementAndGet());
                    return found;
                  })
              .reduce(Repeats.NONE, (one, other) -> one.plus(other, shown));
      List<Duplicate> duplicates = repeats.first().stream().map(this::duplicate).toList();
      return new Result(repeats.ids(), repeats.extra(), duplicates);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  /** Returns what a bucket has at most if the hash is fair. */
  private int share() {
    return (int) Math.min(Integer.MAX_VALUE / 2, MIN_SHARE + count / PARTS * 2);
  }

  private Duplicate duplicate(Repeat repeat) {
    return new Duplicate(repeat.id(), repeat.positions().stream().map(this::place).toList());
  }

  private Place place(long position) {
    int i = sources.size() - 1;
    while (sources.get(i).firstPosition() > position) {
      i--;
    }
    return new Place(sources.get(i).name(), position - sources.get(i).firstPosition() + 1);
  }

  /** Returns how many IDs were read. */
  public long count() {
    return count;
  }

  /** Returns how many lines had no ID. */
  public long badLines() {
    return badLines;
  }

  /** Returns what was wrong with the first of them. */
  public Optional<String> firstBad() {
    return Optional.ofNullable(firstBad);
  }

  /** Returns how many IDs are smaller than the one before them in the same file. */
  public long descents() {
    return descents;
  }

  /** Returns the first of them. */
  public Optional<Descent> firstDescent() {
    return Optional.ofNullable(firstDescent);
  }

  /** Returns what each file has, in the order of reading. */
  public List<FileCount> files() {
    return List.copyOf(files);
  }

  /** Returns whether a number was negative, so that IDs are signed numbers. */
  public boolean signed() {
    return signed;
  }

  /** Returns the smallest ID. */
  public long smallest() {
    return signed ? smallestSigned : smallest;
  }

  /** Returns the largest ID. */
  public long largest() {
    return signed ? largestSigned : largest;
  }

  /** Returns some IDs, at most 1,024, at equal distances. */
  public long[] sample() {
    return sample.stream().toArray();
  }

  /** Returns how many bytes were written to the temporary file. */
  long spilledBytes() {
    return spill.length();
  }

  @Override
  public void close() throws IOException {
    spill.close();
  }
}
