package io.firn.flink;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/** The source of {@link StampedSource}: another one, whose splits have counts. */
final class CountingSource<T, R, S extends SourceSplit, E>
    implements Source<R, CountedSplit<S>, E>, ResultTypeQueryable<R> {

  private static final long serialVersionUID = 1L;

  private final Source<T, S, E> source;
  private final RowPlace<S> place;
  private final StampOptions options;
  private final TypeInformation<R> type;
  private final Stamp<T, R> stamp;

  CountingSource(
      Source<T, S, E> source,
      RowPlace<S> place,
      StampOptions options,
      TypeInformation<R> type,
      Stamp<T, R> stamp) {
    this.source = source;
    this.place = place;
    this.options = options;
    this.type = type;
    this.stamp = stamp;
  }

  @Override
  public Boundedness getBoundedness() {
    return source.getBoundedness();
  }

  @Override
  public SourceReader<R, CountedSplit<S>> createReader(SourceReaderContext context)
      throws Exception {
    return new CountingReader<>(source.createReader(context), place, options, stamp);
  }

  @Override
  public SplitEnumerator<CountedSplit<S>, E> createEnumerator(
      SplitEnumeratorContext<CountedSplit<S>> context) throws Exception {
    return new CountingEnumerator<>(source.createEnumerator(new CountingContext<>(context, place)));
  }

  @Override
  public SplitEnumerator<CountedSplit<S>, E> restoreEnumerator(
      SplitEnumeratorContext<CountedSplit<S>> context, E checkpoint) throws Exception {
    return new CountingEnumerator<>(
        source.restoreEnumerator(new CountingContext<>(context, place), checkpoint));
  }

  @Override
  public SimpleVersionedSerializer<CountedSplit<S>> getSplitSerializer() {
    return new CountedSplit.Serializer<>(source.getSplitSerializer());
  }

  @Override
  public SimpleVersionedSerializer<E> getEnumeratorCheckpointSerializer() {
    return source.getEnumeratorCheckpointSerializer();
  }

  @Override
  public TypeInformation<R> getProducedType() {
    return type;
  }
}
