package io.firn.flink;

import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.block.PlacedIds;
import io.firn.block.PlacedIds.Place;
import io.firn.store.RegisterStore;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.util.FlinkRuntimeException;
import org.jspecify.annotations.Nullable;

/** Another reader, whose rows are counted per split and given IDs. Used by one thread. */
@SuppressWarnings("try") // as in SourceReader, close may throw what it likes
final class CountingReader<T, R, S extends SourceSplit>
    implements SourceReader<R, CountedSplit<S>> {

  private final SourceReader<T, S> reader;
  private final RowPlace<S> place;
  private final StampOptions options;
  private final Stamp<T, R> stamp;
  private final Map<String, Counter> counters = new HashMap<>();
  private @Nullable RegisterStore store;
  private @Nullable PlacedIds ids;
  private @Nullable AllOutput output;

  CountingReader(
      SourceReader<T, S> reader, RowPlace<S> place, StampOptions options, Stamp<T, R> stamp) {
    this.reader = reader;
    this.place = place;
    this.options = options;
    this.stamp = stamp;
  }

  @Override
  public void start() {
    store = RegisterStore.open(options.store());
    ids = options.placed(IdBlocks.of(store, options.namespace()));
    reader.start();
  }

  /** The number of rows of a split that were emitted. */
  private final class Counter {

    private final Place split;
    private long count;
    private @Nullable IdBlock block;

    Counter(Place split, long count) {
      this.split = split;
      this.count = count;
    }

    R next(T row) {
      long at = count % options.blockSize();
      if (block == null || at == 0) {
        block = Objects.requireNonNull(ids).blockOf(split, count);
      }
      long id = block.get(at);
      count++;
      try {
        return stamp.stamp(row, id);
      } catch (RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new FlinkRuntimeException(
            "The stamp could not put ID " + id + " into a row; the cause is below.", e);
      }
    }
  }

  @Override
  public void addSplits(List<CountedSplit<S>> splits) {
    Map<Place, String> owners = new HashMap<>();
    counters.forEach((split, counter) -> owners.put(counter.split, split));
    for (CountedSplit<S> split : splits) {
      requireSamePlace(split);
      requireFreeId(split);
      CountingContext.requireOwn(owners, split.place(), split.splitId());
      counters.put(split.splitId(), new Counter(split.place(), split.count()));
    }
    reader.addSplits(splits.stream().map(CountedSplit::split).collect(Collectors.toList()));
  }

  /** Refuses a place that moved with what was read: another run would find another one. */
  private void requireSamePlace(CountedSplit<S> split) {
    Place now = place.of(split.split());
    if (!now.equals(split.place())) {
      throw new IllegalStateException(
          "The place of split "
              + split.splitId()
              + " was "
              + split.place()
              + " when it was assigned and is "
              + now
              + " after a restore, so its rows would get other IDs. Return a place without the position"
              + " that was reached, or use StampFunction with a place of each row.");
    }
  }

  /** Refuses the ID of a split that is being read: after a restore, a source may use it again. */
  private void requireFreeId(CountedSplit<S> split) {
    Counter other = counters.get(split.splitId());
    if (other != null && !other.split.equals(split.place())) {
      throw new IllegalStateException(
          "Split "
              + split.splitId()
              + " at "
              + split.place()
              + " has the ID of one at "
              + other.split
              + ", which was not read to its end, so rows would get the IDs of others. Restore the job"
              + " with the parallelism of the checkpoint until the splits in it were read, or use"
              + " StampFunction with a place of each row.");
    }
  }

  @Override
  public List<CountedSplit<S>> snapshotState(long checkpoint) {
    List<CountedSplit<S>> splits =
        reader.snapshotState(checkpoint).stream()
            .map(
                split -> {
                  Counter counter = counter(split.splitId());
                  return new CountedSplit<>(split, counter.split, counter.count);
                })
            .collect(Collectors.toList());
    Set<String> left = new HashSet<>();
    splits.forEach(split -> left.add(split.splitId()));
    counters.keySet().retainAll(left); // what is not in a snapshot has been read
    return splits;
  }

  private Counter counter(String split) {
    Counter counter = counters.get(split);
    if (counter == null) {
      throw new IllegalStateException(
          "The source of "
              + reader.getClass().getName()
              + " names split "
              + split
              + ", which it was not given, or has read to its end. Use StampFunction with a place of"
              + " each row, or fresh IDs.");
    }
    return counter;
  }

  @Override
  public InputStatus pollNext(ReaderOutput<R> to) throws Exception {
    if (output == null || output.to != to) {
      output = new AllOutput(to);
    }
    return reader.pollNext(output);
  }

  /** Passes everything on but rows. */
  private abstract static class Output<E> implements SourceOutput<E> {

    private final SourceOutput<?> to;

    Output(SourceOutput<?> to) {
      this.to = to;
    }

    @Override
    public final void emitWatermark(Watermark watermark) {
      to.emitWatermark(watermark);
    }

    @Override
    public final void markIdle() {
      to.markIdle();
    }

    @Override
    public final void markActive() {
      to.markActive();
    }
  }

  /** The output of the wrapped reader. */
  private final class AllOutput extends Output<T> implements ReaderOutput<T> {

    private final ReaderOutput<R> to;

    AllOutput(ReaderOutput<R> to) {
      super(to);
      this.to = to;
    }

    private IllegalStateException noSplit() {
      return new IllegalStateException(
          "The source of "
              + reader.getClass().getName()
              + " emits rows without their split, so they have no place and no stable IDs. Use a"
              + " source that reads splits, StampFunction with a place that the rows have, or fresh"
              + " IDs.");
    }

    @Override
    public void collect(T row) {
      throw noSplit();
    }

    @Override
    public void collect(T row, long timestamp) {
      throw noSplit();
    }

    @Override
    public SourceOutput<T> createOutputForSplit(String split) {
      return new SplitOutput(to.createOutputForSplit(split), counter(split));
    }

    @Override
    public void releaseOutputForSplit(String split) {
      counters.remove(split); // it was read to its end
      to.releaseOutputForSplit(split);
    }
  }

  /** The output of the wrapped reader for one split. */
  private final class SplitOutput extends Output<T> {

    private final SourceOutput<R> to;
    private final Counter counter;

    SplitOutput(SourceOutput<R> to, Counter counter) {
      super(to);
      this.to = to;
      this.counter = counter;
    }

    @Override
    public void collect(T row) {
      to.collect(counter.next(row));
    }

    @Override
    public void collect(T row, long timestamp) {
      to.collect(counter.next(row), timestamp);
    }
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return reader.isAvailable();
  }

  @Override
  public void notifyNoMoreSplits() {
    reader.notifyNoMoreSplits();
  }

  @Override
  public void handleSourceEvents(SourceEvent event) {
    reader.handleSourceEvents(event);
  }

  @Override
  public void notifyCheckpointComplete(long checkpoint) throws Exception {
    reader.notifyCheckpointComplete(checkpoint);
  }

  @Override
  public void notifyCheckpointAborted(long checkpoint) throws Exception {
    reader.notifyCheckpointAborted(checkpoint);
  }

  @Override
  public void pauseOrResumeSplits(Collection<String> pause, Collection<String> resume) {
    reader.pauseOrResumeSplits(pause, resume);
  }

  @Override
  public void close() throws Exception {
    try {
      reader.close();
    } finally {
      if (store != null) {
        store.close();
      }
    }
  }
}
