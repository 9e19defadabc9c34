package io.firn.server.redis;

import io.netty.buffer.ByteBuf;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;

/**
 * Writes numbers as integers of the protocol, {@code :1234\r\n}, without garbage. For one thread.
 *
 * <p>The numbers of a run differ in their last digits only. All but the last eight digits are kept
 * from number to number as text; the last eight are made at once, two in each byte lane of a word.
 * In those that follow without a gap the last digit is counted up, until it is 9.
 */
final class IdDigits {

  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle SHORTS =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);

  private static final long LOW = 100_000_000;
  private static final int LOW_DIGITS = 8;

  /** Its bits in a word of eight. */
  private static final int LAST_DIGIT = 56;

  private static final long NOTHING_FOLLOWS = (long) '9' << LAST_DIGIT;

  private static final short LINE_END = '\r' | '\n' << 8;
  private static final int MAX_REPLY_BYTES = 24;
  private static final int CHUNK_BYTES = 4096;

  /** One number, and those behind it that differ in the last digit alone. */
  private static final int MAX_TEN_BYTES = 10 * MAX_REPLY_BYTES;

  private final byte[] chunk = new byte[CHUNK_BYTES];
  private long high = -1;
  private int highDigits;
  private long highFirst;
  private long highRest;
  private long low;

  /** Writes each of the numbers from one index to before another. */
  void write(ByteBuf out, long[] numbers, int from, int to) {
    out.ensureWritable((to - from) * MAX_REPLY_BYTES);
    int at = 0;
    for (int i = from; i < to; i++) {
      at = put(numbers[i], at);
      int last = Math.min(to - 1, i + '9' - (int) (low >>> LAST_DIGIT));
      while (i < last && numbers[i + 1] == numbers[i] + 1) {
        i++;
        low += 1L << LAST_DIGIT;
        at = putLine(at);
      }
      if (at > CHUNK_BYTES - MAX_TEN_BYTES) {
        out.writeBytes(chunk, 0, at);
        at = 0;
      }
    }
    out.writeBytes(chunk, 0, at);
  }

  /** Writes one number. */
  void write(ByteBuf out, long number) {
    out.writeBytes(chunk, 0, put(number, 0));
  }

  private int put(long number, int at) {
    if (number < LOW) {
      low = NOTHING_FOLLOWS;
      return putShort(number, at);
    }
    long top = number / LOW;
    if (top != high) {
      keepHigh(top);
    }
    low = eightDigits(number - top * LOW);
    return putLine(at);
  }

  private int putLine(int at) {
    chunk[at] = ':';
    LONGS.set(chunk, at + 1, highFirst);
    LONGS.set(chunk, at + 9, highRest);
    int end = at + 1 + highDigits;
    LONGS.set(chunk, end, low);
    SHORTS.set(chunk, end + LOW_DIGITS, LINE_END);
    return end + LOW_DIGITS + 2;
  }

  private int putShort(long number, int at) {
    byte[] reply = (":" + number + "\r\n").getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(reply, 0, chunk, at, reply.length);
    return at + reply.length;
  }

  private void keepHigh(long top) {
    byte[] digits = new byte[16];
    byte[] text = Long.toString(top).getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(text, 0, digits, 0, text.length);
    high = top;
    highDigits = text.length;
    highFirst = (long) LONGS.get(digits, 0);
    highRest = (long) LONGS.get(digits, LOW_DIGITS);
  }

  /** Returns a number below 10^8 as eight characters, the first in the lowest byte. */
  private static long eightDigits(long number) {
    long upper = number / 10_000;
    long pair = upper | (number - 10_000 * upper) << 32;
    long hundreds = ((pair * 10_486) >>> 20) & 0x7f_0000_007fL;
    long two = (pair - 100 * hundreds) << 16 | hundreds;
    long tens = ((two * 103) >>> 10) & 0x000f_000f_000f_000fL;
    return ((two - 10 * tens) << 8 | tens) | 0x3030_3030_3030_3030L;
  }
}
