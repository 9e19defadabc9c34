package io.firn.verify;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The IDs of one bucket in the order of their arrival, each with its position among all IDs.
 * Positions are written as the distance to the one before, in groups of seven bits.
 */
final class Bucket {

  static final int CHUNK_BYTES = 1 << 16;

  /** An ID and the longest distance. */
  private static final int MAX_ENTRY_BYTES = Long.BYTES + 10;

  private static final int MAX_POSITIONS = 8;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private record Chunk(long begin, int size) {}

  /** Receives each ID with its position. */
  private interface Visitor {
    void visit(long id, long position);
  }

  private final Spill spill;
  private final List<Chunk> spilled = new ArrayList<>();
  private byte[] open = new byte[1 << 8];
  private int size;
  private long count;
  private long lastPosition;

  Bucket(Spill spill) {
    this.spill = spill;
  }

  void add(long id, long position) {
    if (size + MAX_ENTRY_BYTES > open.length) {
      makeRoom();
    }
    LONG.set(open, size, id);
    int at = size + Long.BYTES;
    long distance = position - lastPosition;
    for (; distance >= 1 << 7; distance >>>= 7) {
      open[at++] = (byte) (distance | 1 << 7);
    }
    open[at++] = (byte) distance;
    size = at;
    lastPosition = position;
    count++;
  }

  private void makeRoom() {
    if (open.length < CHUNK_BYTES) {
      open = Arrays.copyOf(open, open.length * 4);
      return;
    }
    spilled.add(new Chunk(spill.append(open, size), size));
    size = 0;
  }

  private void visit(Visitor visitor) {
    byte[] chunk = new byte[spilled.isEmpty() ? 0 : CHUNK_BYTES];
    long position = 0;
    for (Chunk each : spilled) {
      spill.read(each.begin(), chunk, each.size());
      position = visit(chunk, each.size(), position, visitor);
    }
    var unused = visit(open, size, position, visitor);
  }

  private static long visit(byte[] chunk, int size, long before, Visitor visitor) {
    long position = before;
    for (int at = 0; at < size; ) {
      long id = (long) LONG.get(chunk, at);
      at += Long.BYTES;
      long distance = 0;
      int shift = 0;
      byte group;
      do {
        group = chunk[at++];
        distance |= (long) (group & 0x7f) << shift;
        shift += 7;
      } while (group < 0);
      position += distance;
      visitor.visit(id, position);
    }
    return position;
  }

  /**
   * Finds the repeated IDs, the first of them with their positions.
   *
   * @param share how many IDs a bucket has unless some are on very many lines
   */
  Repeats repeats(int shown, int share) {
    Occurrences all = new Occurrences((int) Math.max(1, Math.min(count, share)));
    visit((id, position) -> all.add(id));
    long[] repeated = all.repeated();
    return repeated.length == 0
        ? Repeats.NONE
        : new Repeats(repeated.length, all.extra(), first(repeated, shown));
  }

  private List<Repeats.Repeat> first(long[] repeated, int shown) {
    Map<Long, Repeats.Repeat> first = new HashMap<>();
    visit(
        (id, position) -> {
          if (Arrays.binarySearch(repeated, id) >= 0) {
            Repeats.Repeat known = first.get(id);
            if (known == null && first.size() < shown) {
              known = new Repeats.Repeat(id, new ArrayList<>());
              first.put(id, known);
            }
            if (known != null && known.positions().size() < MAX_POSITIONS) {
              known.positions().add(position);
            }
          }
        });
    return List.copyOf(first.values());
  }
}
