package io.firn.flink;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.Watermark;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.core.io.InputStatus;
import org.jspecify.annotations.Nullable;

/** A reader whose splits, as those of Kafka, begin where it has read up to. */
final class MovingSplits implements SourceReader<Long, NumberSequenceSplit> {

  private final Deque<NumberSequenceSplit> splits = new ArrayDeque<>();

  @Override
  public void start() {}

  @Override
  public InputStatus pollNext(ReaderOutput<Long> output) {
    NumberSequenceSplit split = splits.remove();
    output.createOutputForSplit(split.splitId()).collect(split.from());
    if (split.from() < split.to()) {
      splits.add(new NumberSequenceSplit(split.splitId(), split.from() + 1, split.to()));
    } else {
      output.releaseOutputForSplit(split.splitId());
    }
    return InputStatus.MORE_AVAILABLE;
  }

  @Override
  public List<NumberSequenceSplit> snapshotState(long checkpoint) {
    return List.copyOf(splits);
  }

  @Override
  public CompletableFuture<Void> isAvailable() {
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public void addSplits(List<NumberSequenceSplit> more) {
    splits.addAll(more);
  }

  @Override
  public void notifyNoMoreSplits() {}

  @Override
  public void close() {}

  /** An enumerator that keeps what comes back to it. */
  static final class Returned implements SplitEnumerator<NumberSequenceSplit, Integer> {

    final List<NumberSequenceSplit> splits = new ArrayList<>();

    @Override
    public void start() {}

    @Override
    public void handleSplitRequest(int subtask, @Nullable String host) {}

    @Override
    public void addSplitsBack(List<NumberSequenceSplit> back, int subtask) {
      splits.addAll(back);
    }

    @Override
    public void addReader(int subtask) {}

    @Override
    public Integer snapshotState(long checkpoint) {
      return splits.size();
    }

    @Override
    public void close() {}
  }

  /** Keeps what a reader emits. */
  static final class Kept implements ReaderOutput<String> {

    final List<String> rows = new ArrayList<>();

    @Override
    public void collect(String row) {
      rows.add(row);
    }

    @Override
    public void collect(String row, long timestamp) {
      rows.add(row);
    }

    @Override
    public void emitWatermark(Watermark watermark) {}

    @Override
    public void markIdle() {}

    @Override
    public void markActive() {}

    @Override
    public SourceOutput<String> createOutputForSplit(String split) {
      return this;
    }

    @Override
    public void releaseOutputForSplit(String split) {}
  }
}
