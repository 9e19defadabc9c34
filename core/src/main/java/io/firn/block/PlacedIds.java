package io.firn.block;

import static io.firn.internal.Require.inRange;
import static io.firn.internal.Require.notNegative;

import io.firn.internal.Require;
import io.firn.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * IDs of rows that are derived from the places of the rows, such as file and line number, or topic,
 * partition and offset. The same place has the same ID in every process and after every restart.
 * Thread-safe.
 *
 * <p>The rows of a {@linkplain Place place} are cut into pages of {@code blockSize}, and each page
 * is a {@linkplain IdBlocks#named named block}. The store is asked once per page, and the 16,384
 * pages that were used last are kept.
 */
public final class PlacedIds {

  /** The longest job of {@link #of}. */
  public static final int MAX_JOB = 31;

  private static final int MAX_NAME = 64;
  private static final int HASH_DIGITS = 32;

  /**
   * More than the partitions or files that one process reads in turn, because one more would ask
   * the store at each row; few enough for its memory, as a page has two kilobytes at most.
   */
  private static final int MAX_PAGES = 1 << 14;

  private final IdBlocks blocks;
  private final String job;
  private final long blockSize;
  private final Map<Page, IdBlock> pages =
      Collections.synchronizedMap(
          new LinkedHashMap<>(16, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Page, IdBlock> eldest) {
              return size() > MAX_PAGES;
            }
          });

  private PlacedIds(IdBlocks blocks, String job, long blockSize) {
    this.blocks = blocks;
    this.job = requireJob(job);
    this.blockSize = inRange("blockSize", 1, IdBlocks.MAX_SIZE, blockSize);
  }

  /**
   * Returns the job if {@link #of} takes it. A colon would make {@code a:b} of part {@code c} the
   * same as {@code a} of part {@code b:c}.
   *
   * @throws IllegalArgumentException if it has other characters or another length
   */
  public static String requireJob(String job) {
    if (!Require.isName(job) || job.length() > MAX_JOB || job.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "job: " + job + " (expected: 1.." + MAX_JOB + " of A-Z a-z 0-9 . _ -)");
    }
    return job;
  }

  /**
   * A part of the input whose rows are counted from 0 on.
   *
   * @param part what distinguishes it from other parts: any text, as a path or a topic
   * @param partition its partition, 0 or more; 0 where it has none
   * @param fingerprint what changes when its rows do, as size and time of a file: at most 150
   *     visible ASCII characters, or nothing. A part has one fingerprint; another is refused.
   */
  public record Place(String part, int partition, String fingerprint) {}

  private record Page(Place place, int number) {}

  /**
   * Returns the IDs of a job.
   *
   * @param blocks where pages are reserved; their store does not forget
   * @param job with what the names of the jobs begin, a job for each part: 1..{@link #MAX_JOB} of
   *     the characters A-Z, a-z, 0-9, '.', '_' and '-'
   * @param blockSize rows of a page, 1..{@link IdBlocks#MAX_SIZE}; always the same for a job
   */
  public static PlacedIds of(IdBlocks blocks, String job, long blockSize) {
    return new PlacedIds(blocks, job, blockSize);
  }

  /** Returns how many rows a page has. */
  public long blockSize() {
    return blockSize;
  }

  /**
   * Returns the ID of a row.
   *
   * @param index the number of the row in its place, 0..65,536 * block size - 1
   * @throws BlockShapeException if the part had another fingerprint or block size
   * @throws IllegalArgumentException if the store may forget, or an argument is out of its range
   * @throws io.firn.lease.NoFreeWorkerException if no workers have enough ID time free
   * @throws StoreException if the store cannot be asked, or does not report the outcome of a write
   */
  public long idOf(Place place, long index) {
    return blockOf(place, index).get(index % blockSize);
  }

  /**
   * Returns the block of a row's page, where its ID has the index {@code index % blockSize}; throws
   * as {@link #idOf} does.
   */
  public IdBlock blockOf(Place place, long index) {
    long number = notNegative("index", index) / blockSize;
    if (number > BlockName.MAX_PAGE) {
      throw new IllegalArgumentException(
          "index: "
              + index
              + " (expected: below "
              + (BlockName.MAX_PAGE + 1) * blockSize
              + "; a larger block size has more)");
    }
    Page page = new Page(place, (int) number);
    IdBlock known = pages.get(page);
    if (known != null) {
      return known;
    }
    IdBlock block = reserve(page); // another thread that asks too is given the same
    pages.put(page, block);
    return block;
  }

  private IdBlock reserve(Page page) {
    Place place = page.place;
    String shape =
        "rows-per-block="
            + blockSize
            + (place.fingerprint.isEmpty() ? "" : "," + place.fingerprint);
    BlockName name = new BlockName(nameOf(job, place.part), shape, place.partition, page.number);
    return blocks.named(name, blockSize);
  }

  /**
   * Returns the name of a part's job, with a hash for a part that is long, no name, or looks like a
   * hash.
   */
  static String nameOf(String job, String part) {
    boolean readable =
        job.length() + 1 + part.length() <= MAX_NAME
            && part.matches("[A-Za-z0-9._:-]+")
            && !part.matches("[0-9a-f]{" + HASH_DIGITS + "}");
    return job + ":" + (readable ? part : hash(part));
  }

  private static String hash(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash).substring(0, HASH_DIGITS);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(
          "This Java has no SHA-256; use a complete JDK or runtime image", e);
    }
  }
}
