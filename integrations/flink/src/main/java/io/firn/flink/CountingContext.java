package io.firn.flink;

import io.firn.block.PlacedIds.Place;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.apache.flink.api.connector.source.ReaderInfo;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.SplitsAssignment;
import org.apache.flink.metrics.groups.SplitEnumeratorMetricGroup;

/** The context of another enumerator, whose splits begin with row 0. */
final class CountingContext<S extends SourceSplit> implements SplitEnumeratorContext<S> {

  private final SplitEnumeratorContext<CountedSplit<S>> context;
  private final RowPlace<S> place;
  private final Map<Place, String> assigned = new ConcurrentHashMap<>();

  CountingContext(SplitEnumeratorContext<CountedSplit<S>> context, RowPlace<S> place) {
    this.context = context;
    this.place = place;
  }

  @Override
  public void assignSplits(SplitsAssignment<S> assignment) {
    Map<Integer, List<CountedSplit<S>>> counted = new HashMap<>();
    assignment
        .assignment()
        .forEach(
            (subtask, splits) ->
                counted.put(
                    subtask, splits.stream().map(this::fromStart).collect(Collectors.toList())));
    context.assignSplits(new SplitsAssignment<>(counted));
  }

  private CountedSplit<S> fromStart(S split) {
    Place its = place.of(split);
    requireOwn(assigned, its, split.splitId());
    return new CountedSplit<>(split, its, 0);
  }

  /**
   * Checks that a place is that of one split only.
   *
   * @throws IllegalStateException if it is that of another one, too
   */
  static void requireOwn(Map<Place, String> owners, Place place, String split) {
    String owner = owners.putIfAbsent(place, split);
    if (owner != null && !owner.equals(split)) {
      throw new IllegalStateException(
          "Splits "
              + owner
              + " and "
              + split
              + " have one place, "
              + place
              + ", so their rows would get the same IDs. Return another place for each split, as its"
              + " topic and partition.");
    }
  }

  @Override
  public SplitEnumeratorMetricGroup metricGroup() {
    return context.metricGroup();
  }

  @Override
  public void sendEventToSourceReader(int subtask, SourceEvent event) {
    context.sendEventToSourceReader(subtask, event);
  }

  @Override
  public void sendEventToSourceReader(int subtask, int attempt, SourceEvent event) {
    context.sendEventToSourceReader(subtask, attempt, event);
  }

  @Override
  public int currentParallelism() {
    return context.currentParallelism();
  }

  @Override
  public Map<Integer, ReaderInfo> registeredReaders() {
    return context.registeredReaders();
  }

  @Override
  public Map<Integer, Map<Integer, ReaderInfo>> registeredReadersOfAttempts() {
    return context.registeredReadersOfAttempts();
  }

  @Override
  public void signalNoMoreSplits(int subtask) {
    context.signalNoMoreSplits(subtask);
  }

  @Override
  public <T> void callAsync(Callable<T> call, BiConsumer<T, Throwable> handler) {
    context.callAsync(call, handler);
  }

  @Override
  public <T> void callAsync(
      Callable<T> call, BiConsumer<T, Throwable> handler, long delayMillis, long periodMillis) {
    context.callAsync(call, handler, delayMillis, periodMillis);
  }

  @Override
  public void runInCoordinatorThread(Runnable task) {
    context.runInCoordinatorThread(task);
  }

  @Override
  public void setIsProcessingBacklog(boolean backlog) {
    context.setIsProcessingBacklog(backlog);
  }
}
