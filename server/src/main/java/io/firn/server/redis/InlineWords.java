package io.firn.server.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * The words of a line as people type it: separated by white space, quoted with {@code "} (in which
 * {@code \n}, {@code \r}, {@code \t}, {@code \b}, {@code \a} and {@code \xHH} stand for a byte) or
 * {@code '}.
 */
final class InlineWords {

  /** A buffer of at most this size is kept from line to line. */
  private static final int KEPT_BYTES = 256;

  private ByteBuf bytes = Unpooled.buffer(0);

  /** Returns the buffer of the words, without their quotes. */
  ByteBuf bytes() {
    return bytes;
  }

  /** Forgets the words. */
  void clear() {
    bytes = bytes.capacity() > KEPT_BYTES ? Unpooled.buffer(0) : bytes.clear();
  }

  /** Receives each word. */
  interface Listener {
    /** Takes a word that is in {@link #bytes}. */
    void word(int start, int length);
  }

  /** Splits the text from one index to before another. */
  void split(ByteBuf in, int from, int to, Listener listener) {
    clear();
    int next = from;
    int count = 0;
    while (true) {
      while (next < to && isSpace(in.getByte(next))) {
        next++;
      }
      if (next == to) {
        return;
      }
      if (++count > RespDecoder.MAX_ARGUMENTS) {
        throw new ProtocolError(
            "too many words (expected: at most " + RespDecoder.MAX_ARGUMENTS + ")");
      }
      int start = bytes.writerIndex();
      next = word(in, next, to);
      listener.word(start, bytes.writerIndex() - start);
    }
  }

  /** Copies a word, and returns the index behind it. */
  private int word(ByteBuf in, int from, int to) {
    int next = from;
    while (next < to && !isSpace(in.getByte(next))) {
      byte character = in.getByte(next++);
      if (character != '"' && character != '\'') {
        bytes.writeByte(character);
        continue;
      }
      next = quoted(in, next, to, character);
      if (next < to && !isSpace(in.getByte(next))) {
        throw unbalanced();
      }
    }
    return next;
  }

  private int quoted(ByteBuf in, int from, int to, byte quote) {
    int next = from;
    while (next < to) {
      byte character = in.getByte(next++);
      if (character == quote) {
        return next;
      }
      if (character != '\\' || next == to) {
        bytes.writeByte(character);
      } else if (quote == '"') {
        next = escaped(in, next, to);
      } else if (in.getByte(next) == '\'') {
        bytes.writeByte(in.getByte(next++));
      } else {
        bytes.writeByte(character);
      }
    }
    throw unbalanced();
  }

  private int escaped(ByteBuf in, int at, int to) {
    byte character = in.getByte(at);
    if (character == 'x' && at + 2 < to) {
      int high = Character.digit(in.getByte(at + 1), 16);
      int low = Character.digit(in.getByte(at + 2), 16);
      if (high >= 0 && low >= 0) {
        bytes.writeByte(high << 4 | low);
        return at + 3;
      }
    }
    bytes.writeByte(
        switch (character) {
          case 'n' -> '\n';
          case 'r' -> '\r';
          case 't' -> '\t';
          case 'b' -> '\b';
          case 'a' -> 7;
          default -> character;
        });
    return at + 1;
  }

  private static boolean isSpace(byte character) {
    return character == ' ' || (character >= '\t' && character <= '\r');
  }

  private static ProtocolError unbalanced() {
    return new ProtocolError("unbalanced quotes in request");
  }
}
