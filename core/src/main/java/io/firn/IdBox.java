package io.firn;

import io.firn.IdLayout.Field;
import java.util.List;
import java.util.OptionalLong;

/**
 * The IDs with a range of values for each field of a layout.
 *
 * <p>Whether two boxes have an ID in common is decided bit by bit, from the top. Of the field that
 * a bit belongs to, only this matters for the bits below: whether the bits so far equal those of
 * the lower bound, and those of the upper bound. These are four states for each box, so sixteen for
 * both, and a state at a bit from which no ID was found is not entered again. So the answer is
 * exact after at most 1,024 steps, however many IDs the boxes have.
 */
final class IdBox {

  private static final int BITS = 64;

  /** Flags of a state: the bits of the field so far are those of the lower, the upper bound. */
  private static final int ON_LOW = 1;

  private static final int ON_HIGH = 2;
  private static final int STATES = 4;
  private static final int OUTSIDE = -1;

  /** The bits of all lower bounds in their places, and of all upper bounds. */
  private final long low;

  private final long high;

  /** The places where a field ends. */
  private final long lowest;

  private final int width;

  IdBox(List<Field> fields, long[] low, long[] high) {
    long lows = 0;
    long highs = 0;
    long ends = 0;
    int bits = 0;
    for (int i = 0; i < low.length; i++) {
      Field field = fields.get(i);
      lows |= field.place(low[i]);
      highs |= field.place(high[i]);
      ends |= 1L << field.shift();
      bits += field.bits();
    }
    this.low = lows;
    this.high = highs;
    lowest = ends;
    width = bits;
  }

  /** Returns the smallest ID, as an unsigned number, that both have; empty if there is none. */
  OptionalLong common(IdBox other) {
    int both = ON_LOW | ON_HIGH;
    return search(other, BITS - 1, both, both, 0, new int[BITS]);
  }

  private OptionalLong search(
      IdBox other, int place, int mine, int others, long id, int[] noIdBelow) {
    if (place < 0) {
      return OptionalLong.of(id);
    }
    int state = 1 << (mine * STATES + others);
    if ((noIdBelow[place] & state) != 0) {
      return OptionalLong.empty();
    }
    for (long bit = 0; bit <= 1; bit++) {
      int mineNext = next(place, mine, bit);
      int othersNext = other.next(place, others, bit);
      if (mineNext != OUTSIDE && othersNext != OUTSIDE) {
        OptionalLong found =
            search(other, place - 1, mineNext, othersNext, id | bit << place, noIdBelow);
        if (found.isPresent()) {
          return found;
        }
      }
    }
    noIdBelow[place] |= state;
    return OptionalLong.empty();
  }

  /** Returns the state below a bit of an ID, or {@link #OUTSIDE}. */
  private int next(int place, int state, long bit) {
    if (place >= width) {
      return bit == 0 ? ON_LOW | ON_HIGH : OUTSIDE;
    }
    long lowBit = low >>> place & 1;
    long highBit = high >>> place & 1;
    boolean onLow = (state & ON_LOW) != 0;
    boolean onHigh = (state & ON_HIGH) != 0;
    if ((onLow && bit < lowBit) || (onHigh && bit > highBit)) {
      return OUTSIDE;
    }
    if ((lowest >>> place & 1) == 1) {
      return ON_LOW | ON_HIGH; // the next field begins
    }
    return (onLow && bit == lowBit ? ON_LOW : 0) | (onHigh && bit == highBit ? ON_HIGH : 0);
  }
}
