package io.firn.server.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Finds the end of a request's head, the empty line. It looks at each byte once, regardless of how
 * many readings a head comes in.
 */
final class HeadScan {

  /** What a request line ends with, before one more digit. */
  private static final byte[] VERSION = " HTTP/1.".getBytes(StandardCharsets.US_ASCII);

  /** The bytes that were looked at, from the first one of the request. */
  private int scanned;

  /** Where the line begins in which the scan is. */
  private int line;

  private boolean pastFirstLine;

  /**
   * Returns whether more bytes are needed until a head is complete. What is not HTTP/1 needs none:
   * its first line is refused.
   *
   * @param in the bytes of a request that were received, with those of the calls before
   */
  boolean needsMore(ByteBuf in) {
    int first = in.readerIndex();
    int end = in.indexOf(first + scanned, in.writerIndex(), (byte) '\n');
    while (end >= 0) {
      int begin = first + line;
      scanned = end + 1 - first;
      line = scanned;
      if (isLast(in, begin, end)) {
        return false;
      }
      end = in.indexOf(first + scanned, in.writerIndex(), (byte) '\n');
    }
    scanned = in.readableBytes();
    return true;
  }

  /** Forgets the request, because its head is taken. */
  void restart() {
    scanned = 0;
    line = 0;
    pastFirstLine = false;
  }

  /** Returns whether no line is needed after one; empty ones may come before the first one. */
  private boolean isLast(ByteBuf in, int begin, int end) {
    int last = end > begin && in.getByte(end - 1) == '\r' ? end - 1 : end;
    if (pastFirstLine || last == begin) {
      return pastFirstLine && last == begin;
    }
    pastFirstLine = true;
    return !endsWithVersion(in, begin, last);
  }

  private static boolean endsWithVersion(ByteBuf in, int begin, int end) {
    int version = end - VERSION.length - 1;
    if (version < begin) {
      return false;
    }
    for (int i = 0; i < VERSION.length; i++) {
      if (in.getByte(version + i) != VERSION[i]) {
        return false;
      }
    }
    return true;
  }
}
