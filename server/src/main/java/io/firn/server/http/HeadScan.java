package io.firn.server.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Finds the end of a request's head, the empty line. It looks at each byte once, regardless of how
 * many readings a head comes in. It ends early at a line that the parser refuses, so that its
 * client has an answer at once.
 */
final class HeadScan {

  /** What a request line ends with, before one more digit. */
  private static final byte[] VERSION = " HTTP/1.".getBytes(StandardCharsets.US_ASCII);

  private final int mostHeaders;

  /** The bytes that were looked at, from the first one of the request. */
  private int scanned;

  /** Where the line begins in which the scan is. */
  private int line;

  /** The lines that have ended, from the first one that is not empty. */
  private int lines;

  /**
   * Creates a scan.
   *
   * @param mostHeaders the parser refuses a head with more
   */
  HeadScan(int mostHeaders) {
    this.mostHeaders = mostHeaders;
  }

  /**
   * Returns whether more bytes are needed until a head is complete, or is refused.
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
    lines = 0;
  }

  /** Returns whether no line is needed after one. Empty ones may come before the first one. */
  private boolean isLast(ByteBuf in, int begin, int end) {
    int last = end - 1;
    if (last < begin || in.getByte(last) != '\r') {
      return true;
    }
    if (last == begin) {
      return lines > 0;
    }
    lines++;
    return lines == 1
        ? !isRequestLine(in, begin, last)
        : lines > mostHeaders + 1 || !isHeader(in, begin, last);
  }

  /** Returns whether a line has three words, the last of which is a version of HTTP/1. */
  private static boolean isRequestLine(ByteBuf in, int begin, int end) {
    int version = end - VERSION.length - 1;
    int target = in.indexOf(begin, end, (byte) ' ');
    if (target <= begin || target + 1 >= version) {
      return false;
    }
    for (int i = 0; i < VERSION.length; i++) {
      if (in.getByte(version + i) != VERSION[i]) {
        return false;
      }
    }
    return in.indexOf(target + 1, version, (byte) ' ') < 0 && isDigit(in.getByte(end - 1));
  }

  private static boolean isDigit(byte value) {
    return value >= '0' && value <= '9';
  }

  /** Returns whether a line has a name and a value, or goes on with the value of the one before. */
  private static boolean isHeader(ByteBuf in, int begin, int end) {
    byte first = in.getByte(begin);
    return first == ' ' || first == '\t' || in.indexOf(begin, end, (byte) ':') > begin;
  }
}
