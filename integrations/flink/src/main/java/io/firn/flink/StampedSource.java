package io.firn.flink;

import io.firn.block.PlacedIds.Place;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.FileSourceSplit;

/**
 * Sources that give each row an ID by its place: the split that it is from, and its number in that
 * split. A row has the same ID whenever it is read: after a failure, with another parallelism, and
 * in another run of the same job.
 *
 * <h2>Why that is right</h2>
 *
 * A source that can be replayed gives the rows of one split in the same order each time. Nothing
 * else is reproducible: neither how the splits of a task mix, nor which task reads a split. So rows
 * are counted per split, in the reader itself, before anything can mix them. The count is part of
 * the split: it is in the same snapshot as the split's position, and moves with it to other tasks.
 */
public final class StampedSource {

  private StampedSource() {}

  /**
   * Returns a source of files whose rows have IDs. The place of a split is its path and beginning,
   * and its fingerprint its length and the size and time of the file: a file that was changed
   * meanwhile, or is split in another way, is refused with a {@link
   * io.firn.block.BlockShapeException} that names both.
   *
   * @param source reads the files
   * @param options stable ones
   * @param type the type of rows with an ID
   * @param stamp puts the ID into a row
   * @throws IllegalArgumentException if the options are for fresh IDs
   */
  public static <T, R> Source<R, ?, ?> files(
      FileSource<T> source, StampOptions options, TypeInformation<R> type, Stamp<T, R> stamp) {
    return of(source, StampedSource::placeOf, options, type, stamp);
  }

  private static Place placeOf(FileSourceSplit split) {
    return new Place(
        split.path() + "@" + split.offset(),
        0,
        "length="
            + split.length()
            + ",size="
            + split.fileSize()
            + ",modified="
            + split.fileModificationTime());
  }

  /**
   * Returns a source whose rows have IDs. The source says of which split each row is, which those
   * that read splits do; one that does not is refused with its first row. It gives the rows of a
   * split in the same order whenever it reads it.
   *
   * @param source a source that can be replayed
   * @param place finds the place of a split: the same for the same rows in every run, whatever the
   *     split's ID is then, and another for each split. Two splits with one place are refused.
   * @param options stable ones
   * @param type the type of rows with an ID
   * @param stamp puts the ID into a row
   * @throws IllegalArgumentException if the options are for fresh IDs
   */
  public static <T, R, S extends SourceSplit> Source<R, ?, ?> of(
      Source<T, S, ?> source,
      RowPlace<S> place,
      StampOptions options,
      TypeInformation<R> type,
      Stamp<T, R> stamp) {
    if (options.job().isEmpty()) {
      throw new IllegalArgumentException(
          "options: fresh IDs in a source (expected: StampOptions.stable(…); for fresh IDs, map the"
              + " rows with StampFunction)");
    }
    return counting(source, place, options, type, stamp);
  }

  private static <T, R, S extends SourceSplit, E> Source<R, ?, ?> counting(
      Source<T, S, E> source,
      RowPlace<S> place,
      StampOptions options,
      TypeInformation<R> type,
      Stamp<T, R> stamp) {
    return new CountingSource<>(source, place, options, type, stamp);
  }
}
