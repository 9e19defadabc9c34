package io.firn.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.util.HexFormat;

/** Reads unsigned decimals, one a line, the last line with or without its end. */
final class Decimals {

  private static final int MAX_DIGITS = 20;
  private static final long HIGHEST_TENTH = Long.divideUnsigned(-1L, 10);

  private final InputStream in;
  private final byte[] buffer = new byte[1 << 16];
  private int at;
  private int filled;
  private long line;

  Decimals(InputStream in) {
    this.in = in;
  }

  /** Hands every number to the writer. */
  long copyTo(IdHistory.Writer writer) throws IOException {
    for (int c = read(); c >= 0; c = read()) {
      line++;
      writer.add(number(c));
    }
    return line;
  }

  private long number(int firstByte) throws IOException {
    long number = 0;
    int digits = 0;
    int c = firstByte;
    for (; c >= '0' && c <= '9'; c = read()) {
      long next = number * 10 + (c - '0');
      if (++digits > MAX_DIGITS
          || Long.compareUnsigned(number, HIGHEST_TENTH) > 0
          || Long.compareUnsigned(next, c - '0') < 0) {
        throw refused("more than 64 bits");
      }
      number = next;
    }
    if (c == '\r') {
      c = read();
    }
    if (digits == 0 || (c != '\n' && c >= 0)) {
      throw refused(
          c < 0
              ? "the end"
              : c == '\n' ? "no digit" : "byte 0x" + HexFormat.of().toHexDigits((byte) c));
    }
    return number;
  }

  private IllegalArgumentException refused(String found) {
    return new IllegalArgumentException(
        "line " + line + ": " + found + " (expected: one unsigned decimal of at most 64 bits)");
  }

  private int read() throws IOException {
    if (at == filled) {
      filled = in.read(buffer);
      at = 0;
      if (filled <= 0) {
        filled = 0;
        return -1;
      }
    }
    return buffer[at++] & 0xFF;
  }
}
