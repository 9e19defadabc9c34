package io.firn.flink;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A split, and how many of its rows were emitted. Both are written in one snapshot, so they belong
 * together wherever the split is restored.
 *
 * @param <S> the type of splits
 */
final class CountedSplit<S extends SourceSplit> implements SourceSplit {

  private final S split;
  private final long count;

  CountedSplit(S split, long count) {
    this.split = split;
    this.count = count;
  }

  S split() {
    return split;
  }

  long count() {
    return count;
  }

  @Override
  public String splitId() {
    return split.splitId();
  }

  @Override
  public String toString() {
    return split + " after " + count + " rows";
  }

  /** Writes the version of the split's own form, the count, and that form. */
  static final class Serializer<S extends SourceSplit>
      implements SimpleVersionedSerializer<CountedSplit<S>> {

    private static final int FORMAT = 1;

    private final SimpleVersionedSerializer<S> splits;

    Serializer(SimpleVersionedSerializer<S> splits) {
      this.splits = splits;
    }

    @Override
    public int getVersion() {
      return FORMAT;
    }

    @Override
    public byte[] serialize(CountedSplit<S> counted) throws IOException {
      byte[] split = splits.serialize(counted.split);
      return ByteBuffer.allocate(Integer.BYTES + Long.BYTES + split.length)
          .putInt(splits.getVersion())
          .putLong(counted.count)
          .put(split)
          .array();
    }

    @Override
    public CountedSplit<S> deserialize(int version, byte[] bytes) throws IOException {
      if (version != FORMAT) {
        throw new IOException(
            "The checkpoint has splits of version "
                + version
                + ", and this version of Firn reads "
                + FORMAT
                + ". Restore it with the version of firn-flink that wrote it, or a newer one.");
      }
      ByteBuffer from = ByteBuffer.wrap(bytes);
      int splitVersion = from.getInt();
      long count = from.getLong();
      byte[] split = new byte[from.remaining()];
      from.get(split);
      return new CountedSplit<>(splits.deserialize(splitVersion, split), count);
    }
  }
}
