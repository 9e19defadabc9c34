package io.firn.server.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Finds commands in the bytes that came: arrays of bulk strings, and lines as people type them. For
 * one connection, on its event loop.
 *
 * <h2>How it works</h2>
 *
 * The reader index of the buffer stays at the beginning of a command until all of it is there, and
 * what is known of it meanwhile is kept as distances from there. So bytes may come in pieces of any
 * size, the buffer may move between them, and no byte is looked at again for each piece.
 *
 * <p>The limit is for all bytes of a command, and a length that would pass it is refused when it is
 * announced: nothing is ever set aside for bytes that have not come.
 */
final class RespDecoder {

  /** The most arguments of a command: far more than any that is known here takes. */
  static final int MAX_ARGUMENTS = 1024;

  /** The most empty commands in a row. They have no answer, so nothing else slows them down. */
  static final int MAX_EMPTY = 1024;

  /** Room for this number of arguments is kept from command to command. */
  private static final int FEW_ARGUMENTS = 8;

  private static final int MAX_NUMBER_BYTES = 12;
  private static final long INCOMPLETE = Long.MIN_VALUE;
  private static final long MALFORMED = Long.MIN_VALUE + 1;
  private static final int LINE_END_BYTES = 2;
  private static final int NO_HEADER = -1;

  private int maxBytes;
  private final InlineWords words = new InlineWords();
  private int[] starts = new int[FEW_ARGUMENTS];
  private int[] lengths = new int[FEW_ARGUMENTS];

  /** The number of arguments that the command has, once its header is read. */
  private int expected = NO_HEADER;

  private int count;

  /** The position up to which the command is read. */
  private int scanned;

  /** Behind the line of the number that was read last. */
  private int afterNumber;

  /** The number of empty commands since the last one that was not. */
  private int empty;

  private boolean complete;
  private ByteBuf source = Unpooled.EMPTY_BUFFER;
  private int base;
  private int size;

  RespDecoder(int maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Sets how many bytes a request has at most, from the next one on. */
  void limit(int bytes) {
    maxBytes = bytes;
  }

  /** Returns how long {@link #writeTo} makes a request at most. */
  static int mostEncoded(int requestBytes) {
    return requestBytes + MAX_ARGUMENTS * 2 * MAX_NUMBER_BYTES;
  }

  /**
   * Reads on. After {@code true} the reader index is behind a command, whose arguments can be asked
   * for until the buffer changes; after {@code false} it is at the beginning of one that is not
   * complete, or at the end.
   *
   * @throws ProtocolError if what came is no command
   */
  boolean decode(ByteBuf in) {
    if (complete) {
      reset();
    }
    while (in.readableBytes() > scanned) {
      boolean isArray = expected != NO_HEADER || in.getByte(in.readerIndex()) == '*';
      if (!(isArray ? array(in) : line(in))) {
        return false;
      }
      finish(in);
      if (count > 0) {
        empty = 0;
        complete = true;
        return true;
      }
      if (++empty > MAX_EMPTY) {
        throw new ProtocolError(
            "too many empty commands (expected: at most " + MAX_EMPTY + " in a row)");
      }
      reset();
    }
    return false;
  }

  /** Forgets the command, and gives back the memory that only a large one needs. */
  void reset() {
    complete = false;
    source = Unpooled.EMPTY_BUFFER;
    words.clear();
    expected = NO_HEADER;
    count = 0;
    scanned = 0;
    if (starts.length > FEW_ARGUMENTS) {
      starts = new int[FEW_ARGUMENTS];
      lengths = new int[FEW_ARGUMENTS];
    }
  }

  /** Returns the memory, in bytes, of the places of arguments that only a large command has. */
  int keptBytes() {
    return (starts.length - FEW_ARGUMENTS) * 2 * Integer.BYTES;
  }

  private void finish(ByteBuf in) {
    if (expected != NO_HEADER) {
      source = in;
      base = in.readerIndex();
    } else {
      source = words.bytes();
      base = 0;
    }
    size = scanned;
    in.skipBytes(scanned);
  }

  private boolean array(ByteBuf in) {
    if (expected == NO_HEADER) {
      long announced = number(in, 1);
      if (announced == INCOMPLETE) {
        return false;
      }
      if (announced == MALFORMED || announced > MAX_ARGUMENTS) {
        throw new ProtocolError(
            "invalid multibulk length (expected: at most " + MAX_ARGUMENTS + " arguments)");
      }
      expected = (int) Math.max(0, announced);
      scanned = afterNumber;
    }
    while (count < expected) {
      if (!bulk(in)) {
        return false;
      }
    }
    return true;
  }

  private boolean bulk(ByteBuf in) {
    if (in.readableBytes() <= scanned) {
      return false;
    }
    byte type = in.getByte(in.readerIndex() + scanned);
    if (type != '$') {
      throw new ProtocolError("expected '$', got '" + printable(type) + "'");
    }
    long length = number(in, scanned + 1);
    if (length == INCOMPLETE) {
      return false;
    }
    if (length < 0 || length > maxBytes - afterNumber - LINE_END_BYTES) {
      throw new ProtocolError(
          "invalid bulk length (expected: at most " + maxBytes + " bytes in a request)");
    }
    int end = afterNumber + (int) length;
    if (in.readableBytes() < end + LINE_END_BYTES) {
      return false;
    }
    if (in.getShort(in.readerIndex() + end) != ('\r' << 8 | '\n')) {
      throw new ProtocolError("expected a line's end behind the bulk string");
    }
    add(afterNumber, (int) length);
    scanned = end + LINE_END_BYTES;
    return true;
  }

  private void add(int start, int length) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      lengths = Arrays.copyOf(lengths, 2 * count);
    }
    starts[count] = start;
    lengths[count++] = length;
  }

  /** Reads the number on a line of its own, and sets {@link #afterNumber}. */
  private long number(ByteBuf in, int offset) {
    int begin = in.readerIndex() + offset;
    int limit = Math.min(in.writerIndex(), begin + MAX_NUMBER_BYTES);
    long value = 0;
    for (int i = begin; i < limit; i++) {
      byte next = in.getByte(i);
      if (next >= '0' && next <= '9') {
        value = 10 * value + (next - '0');
      } else if (next == '\r' && i > begin) {
        return ended(in, i + 1, in.getByte(begin) == '-' ? -value : value);
      } else if (next != '-' || i > begin) {
        return MALFORMED;
      }
    }
    return limit == begin + MAX_NUMBER_BYTES ? MALFORMED : INCOMPLETE;
  }

  private long ended(ByteBuf in, int newline, long value) {
    if (newline == in.writerIndex()) {
      return INCOMPLETE;
    }
    afterNumber = newline + 1 - in.readerIndex();
    return in.getByte(newline) == '\n' ? value : MALFORMED;
  }

  private boolean line(ByteBuf in) {
    int from = in.readerIndex() + scanned;
    int newline = in.indexOf(from, in.writerIndex(), (byte) '\n');
    int length = (newline < 0 ? in.writerIndex() : newline + 1) - in.readerIndex();
    if (length > maxBytes) {
      throw new ProtocolError(
          "too big inline request (expected: at most " + maxBytes + " bytes in a request)");
    }
    scanned = length;
    if (newline < 0) {
      return false;
    }
    words.split(in, in.readerIndex(), newline, this::add);
    return true;
  }

  private static String printable(byte character) {
    return character >= ' ' && character <= '~' ? String.valueOf((char) character) : "?";
  }

  /** Returns how many arguments the command has, its name with them. */
  int count() {
    return count;
  }

  /** Returns the length of an argument, in bytes. */
  int length(int argument) {
    return lengths[argument];
  }

  /** Returns a byte of an argument. */
  byte byteAt(int argument, int index) {
    return source.getByte(base + starts[argument] + index);
  }

  /** Returns the first four bytes of an argument, as a number, in lower case. */
  int lowerInt(int argument) {
    return source.getInt(base + starts[argument]) | 0x20202020;
  }

  /** Returns whether an argument has these bytes. */
  boolean is(int argument, ByteBuf bytes) {
    return bytes.readableBytes() == lengths[argument]
        && ByteBufUtil.equals(
            source, base + starts[argument], bytes, bytes.readerIndex(), lengths[argument]);
  }

  /** Returns an argument as text; what is not UTF-8 in it is replaced. */
  String text(int argument) {
    return source.toString(base + starts[argument], lengths[argument], StandardCharsets.UTF_8);
  }

  /** Returns the bytes of an argument. */
  byte[] bytes(int argument) {
    return ByteBufUtil.getBytes(source, base + starts[argument], lengths[argument]);
  }

  /** Writes the command as an array of bulk strings. */
  void writeTo(ByteBuf out) {
    writeLine(out, '*', count);
    for (int i = 0; i < count; i++) {
      writeLine(out, '$', lengths[i]);
      out.writeBytes(source, base + starts[i], lengths[i]).writeShort('\r' << 8 | '\n');
    }
  }

  private static void writeLine(ByteBuf out, char type, int number) {
    out.writeByte(type);
    out.writeCharSequence(Integer.toString(number), StandardCharsets.US_ASCII);
    out.writeShort('\r' << 8 | '\n');
  }

  /**
   * Returns how often the same command, byte for byte, follows in the buffer, and skips it so
   * often.
   *
   * @param most the largest answer
   */
  int skipRepeats(ByteBuf in, int most) {
    int repeats = 0;
    if (expected != NO_HEADER) {
      int next = in.readerIndex();
      while (repeats < most
          && next + size <= in.writerIndex()
          && ByteBufUtil.equals(in, base, in, next, size)) {
        next += size;
        repeats++;
      }
      in.readerIndex(next);
    }
    return repeats;
  }
}
