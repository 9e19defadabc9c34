package io.firn.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Finds out whether any of hundreds of millions of IDs appeared twice: exactly, in bounded memory.
 *
 * <pre>{@code
 * try (IdHistory history = new IdHistory(2, 64 << 20)) {
 *   IdHistory.Writer mine = history.newWriter(); // one a thread
 *   mine.add(id);
 *   …
 *   IdHistory.Report report = history.finish(); // after the threads have ended
 * }
 * }</pre>
 *
 * <h2>How it works</h2>
 *
 * A writer collects IDs in an array. When that is full it is sorted, unless it already is, and
 * appended to a file as distances between neighbors, a byte or two each for dense IDs. IDs that
 * keep growing make one long run of it, however many arrays they fill. {@link #finish} merges the
 * runs of all writers; equal neighbors in the merged order are duplicates. Where there are more
 * runs than the memory has buffers for, groups of them are merged into longer ones first.
 *
 * <p>IDs are taken as unsigned. {@link #newWriter} and the writers of different threads may be used
 * at the same time; everything else is for one thread.
 */
public final class IdHistory implements AutoCloseable {

  /** The most writers that one history can have. */
  public static final int MAX_WRITERS = 1 << 10;

  /** The least memory, in bytes for each writer. */
  public static final long MIN_BYTES_PER_WRITER = 1 << 20;

  /** The most memory, in bytes. */
  public static final long MAX_BYTES = 1L << 34;

  private static final int MAX_SHOWN = 10;

  /** An element, and as much again for what sorting may need. */
  private static final int BYTES_PER_ID = 2 * Long.BYTES;

  private final int maxWriters;
  private final long memoryBytes;
  private final Path folder;
  private final List<Writer> writers = new ArrayList<>();
  private final List<Run.Appender> files = new ArrayList<>();
  private boolean finished;

  /**
   * The counts of a history.
   *
   * @param count how many IDs were added
   * @param duplicates how many of them had been added before: {@code count} less the different ones
   * @param firstDuplicates the lowest IDs that were added more than once, at most 10
   * @param disorders how often a writer got an ID that was not larger than its last one
   */
  public record Report(long count, long duplicates, List<Long> firstDuplicates, long disorders) {}

  /**
   * Creates a history that spills to the system's folder for temporary files.
   *
   * @param maxWriters how many writers there will be at most, 1..1,024
   * @param memoryBytes how much memory it may take, at least 1 MiB a writer, at most 16 GiB
   */
  public IdHistory(int maxWriters, long memoryBytes) {
    this(maxWriters, memoryBytes, Path.of(System.getProperty("java.io.tmpdir", ".")));
  }

  /**
   * Creates a history as {@link #IdHistory(int, long)} does, which spills to a new folder inside
   * {@code parent}, which {@link #close} removes.
   */
  public IdHistory(int maxWriters, long memoryBytes, Path parent) {
    if (maxWriters < 1 || maxWriters > MAX_WRITERS) {
      throw new IllegalArgumentException(
          "maxWriters: " + maxWriters + " (expected: 1.." + MAX_WRITERS + ")");
    }
    long least = maxWriters * MIN_BYTES_PER_WRITER;
    if (memoryBytes < least || memoryBytes > MAX_BYTES) {
      throw new IllegalArgumentException(
          "memoryBytes: "
              + memoryBytes
              + " (expected: "
              + least
              + ".."
              + MAX_BYTES
              + " for "
              + maxWriters
              + " writers)");
    }
    this.maxWriters = maxWriters;
    this.memoryBytes = memoryBytes;
    try {
      folder = Files.createTempDirectory(parent, "firn-ids");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a writer for one thread.
   *
   * @throws IllegalStateException if there are {@code maxWriters}, or the history is finished
   */
  public synchronized Writer newWriter() {
    checkOpen();
    if (writers.size() == maxWriters) {
      throw new IllegalStateException(
          "The history has " + maxWriters + " writers already; give it a larger maxWriters");
    }
    long bytes = memoryBytes / maxWriters - Run.BUFFER_BYTES;
    Writer writer = new Writer((int) Math.min(bytes / BYTES_PER_ID, 1 << 29), newFile());
    writers.add(writer);
    return writer;
  }

  /**
   * Ends all writers and looks for duplicates. What other threads wrote must have happened before,
   * such as by a join.
   *
   * @throws IllegalStateException if the history is finished already
   */
  public synchronized Report finish() {
    checkOpen();
    finished = true;
    ArrayDeque<Run> runs = new ArrayDeque<>();
    long count = 0;
    long disorders = 0;
    for (Writer writer : writers) {
      runs.addAll(writer.end());
      count += writer.count;
      disorders += writer.disorders;
    }
    while (runs.size() > mostRuns()) {
      runs.add(merged(firstOf(runs)));
    }
    return report(new Merge(List.copyOf(runs)), count, disorders);
  }

  /**
   * Returns how many runs can be merged at once: each, and the run that they become, has a buffer.
   */
  private int mostRuns() {
    return (int) Math.min(memoryBytes / Run.BUFFER_BYTES - 1, 1 << 12);
  }

  private List<Run> firstOf(ArrayDeque<Run> runs) {
    int most = Math.min(mostRuns(), runs.size() - mostRuns() + 1);
    List<Run> first = new ArrayList<>();
    while (first.size() < most) {
      first.add(runs.remove());
    }
    return first;
  }

  private Run merged(List<Run> runs) {
    Run.Appender file = newFile();
    Merge merge = new Merge(runs);
    while (!merge.isEmpty()) {
      file.append(merge.next());
    }
    return file.endRun();
  }

  private static Report report(Merge merge, long count, long disorders) {
    List<Long> shown = new ArrayList<>();
    long duplicates = 0;
    if (!merge.isEmpty()) {
      long last = merge.next();
      long lastShown = ~last;
      while (!merge.isEmpty()) {
        long key = merge.next();
        if (key == last) {
          duplicates++;
          if (key != lastShown && shown.size() < MAX_SHOWN) {
            shown.add(key ^ Long.MIN_VALUE);
            lastShown = key;
          }
        }
        last = key;
      }
    }
    return new Report(count, duplicates, List.copyOf(shown), disorders);
  }

  private synchronized Run.Appender newFile() {
    Run.Appender file = new Run.Appender(folder.resolve("runs-" + files.size()));
    files.add(file);
    return file;
  }

  private void checkOpen() {
    if (finished) {
      throw finished();
    }
  }

  private static IllegalStateException finished() {
    return new IllegalStateException("The history is finished; create another one");
  }

  /** Removes the files. The writers must not be used any more. */
  @Override
  public synchronized void close() {
    finished = true;
    try {
      for (int i = 0; i < files.size(); i++) {
        files.get(i).close();
        Files.deleteIfExists(folder.resolve("runs-" + i));
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Takes the IDs of one thread, in the order in which that thread got them. */
  public static final class Writer {

    private long[] keys;
    private final Run.Appender file;
    private final List<Run> runs = new ArrayList<>();
    private boolean sorted = true;
    private int size;
    private long last = Long.MIN_VALUE;
    private long count;
    private long disorders;

    Writer(int capacity, Run.Appender file) {
      keys = new long[capacity];
      this.file = file;
    }

    /**
     * Adds an ID.
     *
     * @throws IllegalStateException if the history is finished
     */
    public void add(long id) {
      long key = id ^ Long.MIN_VALUE;
      if (key <= last) {
        comesBack();
      }
      if (size == keys.length) {
        spill();
      }
      keys[size++] = key;
      last = key;
    }

    /** Adds {@code ids[from]} up to {@code ids[to - 1]}. */
    public void add(long[] ids, int from, int to) {
      for (int i = from; i < to; i++) {
        add(ids[i]);
      }
    }

    /**
     * Adds all IDs of a stream or file: unsigned decimals, one a line.
     *
     * @return how many there were
     * @throws IllegalArgumentException if a line is anything else; the message has its number
     */
    public long addDecimals(InputStream in) throws IOException {
      return new Decimals(in).copyTo(this);
    }

    private void comesBack() {
      if (count + size > 0) {
        disorders++;
        sorted = false;
      }
    }

    private void spill() {
      if (size == 0) {
        throw finished();
      }
      if (!sorted) {
        Arrays.sort(keys, 0, size);
        sorted = true;
      }
      if (!file.continuesWith(keys[0])) {
        runs.add(file.endRun());
      }
      for (int i = 0; i < size; i++) {
        file.append(keys[i]);
      }
      count += size;
      size = 0;
    }

    private List<Run> end() {
      if (size > 0) {
        spill();
        runs.add(file.endRun());
      }
      keys = new long[0];
      return runs;
    }
  }
}
