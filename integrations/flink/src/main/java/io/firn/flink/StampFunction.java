package io.firn.flink;

import io.firn.block.IdBlocks;
import io.firn.block.PlacedIds;
import io.firn.integration.FreshBlocks;
import io.firn.store.RegisterStore;
import java.util.Objects;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.jspecify.annotations.Nullable;

/**
 * Gives each row of a stream an ID.
 *
 * <h2>Why it keeps no state</h2>
 *
 * After a failure, Flink goes back to a checkpoint and processes the rows behind it again. A cursor
 * in the checkpoint would go back, too, and give the numbers behind it again: to the same rows only
 * if they came in the same order, which Flink does not promise behind a keyBy, a rebalance, or a
 * source that reads several splits. So fresh IDs are never taken back: each attempt of a task takes
 * blocks of its own, whatever the checkpoint was and however many tasks there are now. Stable IDs
 * come from the place that a row itself has, in whatever order it comes.
 *
 * @param <T> the row before
 * @param <R> the row with its ID
 */
public final class StampFunction<T, R> extends RichMapFunction<T, R>
    implements ResultTypeQueryable<R> {

  private static final long serialVersionUID = 1L;

  private final StampOptions options;
  private final @Nullable RowPlace<T> place;
  private final @Nullable RowIndex<T> index;
  private final TypeInformation<R> type;
  private final Stamp<T, R> stamp;

  private transient @Nullable RegisterStore store;
  private transient @Nullable PlacedIds placed;
  private transient @Nullable FreshBlocks fresh;

  private StampFunction(
      StampOptions options,
      @Nullable RowPlace<T> place,
      @Nullable RowIndex<T> index,
      TypeInformation<R> type,
      Stamp<T, R> stamp) {
    this.options = options;
    this.place = place;
    this.index = index;
    this.type = type;
    this.stamp = stamp;
  }

  /**
   * Returns a function that gives rows new IDs, wherever it is in the stream.
   *
   * @param options fresh ones
   * @param type the type of rows with an ID
   * @param stamp puts the ID into a row
   * @throws IllegalArgumentException if the options are for stable IDs: the order in which rows
   *     arrive is not reproducible, so it cannot decide their IDs
   */
  public static <T, R> StampFunction<T, R> of(
      StampOptions options, TypeInformation<R> type, Stamp<T, R> stamp) {
    if (options.job().isPresent()) {
      throw new IllegalArgumentException(
          "options: stable IDs without a place (expected: a place and an index of the row, as"
              + " partition and offset of Kafka, or StampedSource, or fresh IDs; the order in which"
              + " rows arrive may be another one after each restart)");
    }
    return new StampFunction<>(options, null, null, type, stamp);
  }

  /**
   * Returns a function that gives rows IDs by a place that they have, wherever it is in the stream.
   *
   * @param options stable ones
   * @param place the part of the input that a row is from, as topic and partition of Kafka
   * @param index the number of the row in it, as its offset
   * @param type the type of rows with an ID
   * @param stamp puts the ID into a row
   * @throws IllegalArgumentException if the options are for fresh IDs
   */
  public static <T, R> StampFunction<T, R> of(
      StampOptions options,
      RowPlace<T> place,
      RowIndex<T> index,
      TypeInformation<R> type,
      Stamp<T, R> stamp) {
    if (options.job().isEmpty()) {
      throw new IllegalArgumentException(
          "options: fresh IDs with a place (expected: StampOptions.stable(…), or fresh IDs without a"
              + " place and an index)");
    }
    return new StampFunction<>(options, place, index, type, stamp);
  }

  @Override
  public void open(OpenContext context) {
    store = RegisterStore.open(options.store());
    IdBlocks blocks = IdBlocks.of(store, options.namespace());
    if (options.job().isPresent()) {
      placed = options.placed(blocks);
    } else {
      fresh = new FreshBlocks(blocks, options.blockSize());
    }
  }

  @Override
  public R map(T row) throws Exception {
    return stamp.stamp(
        row, placed == null ? Objects.requireNonNull(fresh).next() : placed(row, placed));
  }

  private long placed(T row, PlacedIds ids) {
    return ids.idOf(Objects.requireNonNull(place).of(row), Objects.requireNonNull(index).of(row));
  }

  @Override
  public void close() {
    if (store != null) {
      store.close();
    }
  }

  @Override
  public TypeInformation<R> getProducedType() {
    return type;
  }
}
