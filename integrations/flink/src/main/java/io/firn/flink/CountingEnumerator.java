package io.firn.flink;

import java.io.IOException;
import java.util.List;
import org.apache.flink.api.connector.source.SourceEvent;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.jspecify.annotations.Nullable;

/** Another enumerator, which sees its splits without counts. */
final class CountingEnumerator<S extends SourceSplit, E>
    implements SplitEnumerator<CountedSplit<S>, E> {

  private final SplitEnumerator<S, E> enumerator;

  CountingEnumerator(SplitEnumerator<S, E> enumerator) {
    this.enumerator = enumerator;
  }

  @Override
  public void start() {
    enumerator.start();
  }

  @Override
  public void handleSplitRequest(int subtask, @Nullable String host) {
    enumerator.handleSplitRequest(subtask, host);
  }

  /**
   * Takes splits back; only those that no checkpoint has come back, and so none of which a row
   * counts.
   */
  @Override
  public void addSplitsBack(List<CountedSplit<S>> splits, int subtask) {
    for (CountedSplit<S> split : splits) {
      if (split.count() != 0) {
        throw new IllegalStateException(
            "Split "
                + split
                + " came back to its enumerator, which would count its rows from 0 again. Use a"
                + " source whose readers keep the splits of a checkpoint, or StampFunction with a"
                + " place of each row.");
      }
    }
    enumerator.addSplitsBack(splits.stream().map(CountedSplit::split).toList(), subtask);
  }

  @Override
  public void addReader(int subtask) {
    enumerator.addReader(subtask);
  }

  @Override
  public E snapshotState(long checkpoint) throws Exception {
    return enumerator.snapshotState(checkpoint);
  }

  @Override
  public void notifyCheckpointComplete(long checkpoint) throws Exception {
    enumerator.notifyCheckpointComplete(checkpoint);
  }

  @Override
  public void notifyCheckpointAborted(long checkpoint) throws Exception {
    enumerator.notifyCheckpointAborted(checkpoint);
  }

  @Override
  public void handleSourceEvent(int subtask, SourceEvent event) {
    enumerator.handleSourceEvent(subtask, event);
  }

  @Override
  public void close() throws IOException {
    enumerator.close();
  }
}
