package io.firn.block;

import io.firn.internal.Require;
import java.util.regex.Pattern;

/**
 * The name of a block: requests with the same name get the same block.
 *
 * @param job the job, 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
 * @param shape what the rows of the job depend on, as its number of partitions and a fingerprint of
 *     its input: 1..200 visible ASCII characters. A job has one shape; another is refused, because
 *     the same index would then be another row.
 * @param partition the partition of the job, 0 or more
 * @param page the block of the partition, 0..{@link #MAX_PAGE}
 */
public record BlockName(String job, String shape, int partition, int page) {

  /** The largest number of a page. */
  public static final int MAX_PAGE = 65_535;

  private static final Pattern SHAPE = Pattern.compile("[\\x21-\\x7e]{1,200}");

  /**
   * Creates a name.
   *
   * @throws IllegalArgumentException if a part is out of its range
   */
  public BlockName {
    Require.name("job", job);
    if (!SHAPE.matcher(shape).matches()) {
      throw new IllegalArgumentException(
          "shape: " + shape + " (expected: 1..200 visible ASCII characters)");
    }
    Require.notNegative("partition", partition);
    Require.inRange("page", 0, MAX_PAGE, page);
  }
}
