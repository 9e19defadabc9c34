package io.firn.flink;

import io.firn.block.PlacedIds.Place;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;

/**
 * A split, its place, and how many of its rows were emitted. All are written in one snapshot, so
 * they belong together wherever the split is restored.
 *
 * @param <S> the type of splits
 */
final class CountedSplit<S extends SourceSplit> implements SourceSplit {

  private final S split;
  private final Place place;
  private final long count;

  CountedSplit(S split, Place place, long count) {
    this.split = split;
    this.place = place;
    this.count = count;
  }

  S split() {
    return split;
  }

  /** Returns the place that the split had when it was assigned first. */
  Place place() {
    return place;
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

  /** Writes the version of the split's own form, the count, the place, and that form. */
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
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      DataOutputStream to = new DataOutputStream(bytes);
      to.writeInt(splits.getVersion());
      to.writeLong(counted.count);
      writeText(to, counted.place.part());
      to.writeInt(counted.place.partition());
      writeText(to, counted.place.fingerprint());
      to.write(splits.serialize(counted.split));
      return bytes.toByteArray();
    }

    private static void writeText(DataOutputStream to, String text) throws IOException {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      to.writeInt(bytes.length);
      to.write(bytes);
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
      DataInputStream from = new DataInputStream(new ByteArrayInputStream(bytes));
      int splitVersion = from.readInt();
      long count = from.readLong();
      Place place = new Place(readText(from), from.readInt(), readText(from));
      return new CountedSplit<>(
          splits.deserialize(splitVersion, from.readAllBytes()), place, count);
    }

    private static String readText(DataInputStream from) throws IOException {
      return new String(from.readNBytes(from.readInt()), StandardCharsets.UTF_8);
    }
  }
}
