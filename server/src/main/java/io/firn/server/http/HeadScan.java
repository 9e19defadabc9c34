package io.firn.server.http;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Finds the end of a request's head, the empty line. It looks at each byte once, regardless of how
 * many readings a head comes in. What the parser would refuse is refused as soon as it shows, so
 * that the client has an answer at once. The parser has whole heads only: of a part, it would keep
 * many times its length in the heap.
 */
final class HeadScan {

  /** The end of a request line, before one more digit. */
  private static final byte[] VERSION = " HTTP/1.".getBytes(StandardCharsets.US_ASCII);

  /** The state of the bytes. */
  enum Result {
    /** More bytes are needed. */
    INCOMPLETE,
    /** The parser can take the head. */
    COMPLETE,
    /** The first line is too long. */
    LINE_TOO_LONG,
    /** This is not HTTP/1. */
    NOT_HTTP,
    /** There are too many headers, or they are too long. */
    HEADERS_TOO_LARGE
  }

  private final int mostHeaders;
  private final int mostBytes;

  /** The bytes that were looked at, from the first one of the request. */
  private int scanned;

  /** The start of the line that is being scanned. */
  private int line;

  /** The lines that have ended, from the first one that is not empty. */
  private int lines;

  /** The start of the headers; 0 before the first line has ended. */
  private int headers;

  private boolean skipped;

  /**
   * Creates a scan.
   *
   * @param mostHeaders how many headers a head may have
   * @param mostBytes how long its first line may be, and all headers together
   */
  HeadScan(int mostHeaders, int mostBytes) {
    this.mostHeaders = mostHeaders;
    this.mostBytes = mostBytes;
  }

  /**
   * Looks at the bytes that are new. Empty lines before a request are skipped.
   *
   * @param in the bytes of a request that were received, with those of the calls before
   */
  Result look(ByteBuf in) {
    int end = in.indexOf(in.readerIndex() + scanned, in.writerIndex(), (byte) '\n');
    while (end >= 0) {
      Result result = lookAtLine(in, in.readerIndex() + line, end);
      if (result != Result.INCOMPLETE) {
        return result;
      }
      if (lines == 0) {
        in.readerIndex(end + 1);
        skipped = true;
      }
      line = end + 1 - in.readerIndex();
      headers = lines == 1 ? line : headers;
      end = in.indexOf(end + 1, in.writerIndex(), (byte) '\n');
    }
    scanned = in.readableBytes();
    if (lines == 0 && scanned > 0 && !mayBegin(in.getByte(in.readerIndex()))) {
      return Result.NOT_HTTP;
    }
    return isTooLong() ? tooLong() : Result.INCOMPLETE;
  }

  /**
   * Returns whether the first line, or all headers without the ends of their lines, are too long.
   * The last byte can be the \r of a line that has not ended.
   */
  private boolean isTooLong() {
    int ends = 2 * Math.max(0, lines - 1);
    return scanned - headers - ends > mostBytes + 1;
  }

  private Result tooLong() {
    return lines == 0 ? Result.LINE_TOO_LONG : Result.HEADERS_TOO_LARGE;
  }

  /** Returns whether a request, or an empty line before it, begins with that, as TLS does not. */
  private static boolean mayBegin(byte first) {
    return (first > ' ' && first < 0x7f) || first == '\r';
  }

  /** Forgets the request, because its head is taken. */
  void restart() {
    scanned = 0;
    line = 0;
    lines = 0;
    headers = 0;
    skipped = false;
  }

  /** Returns whether empty lines were skipped since the last request: the next one has begun. */
  boolean hasSkipped() {
    return skipped;
  }

  private Result lookAtLine(ByteBuf in, int begin, int end) {
    int last = end - 1;
    if (last < begin || in.getByte(last) != '\r') {
      return Result.NOT_HTTP;
    }
    if (last == begin) {
      return lines > 0 ? Result.COMPLETE : Result.INCOMPLETE;
    }
    lines++;
    if (lines > 1 + mostHeaders) {
      return Result.HEADERS_TOO_LARGE;
    }
    boolean good = lines == 1 ? isRequestLine(in, begin, last) : isHeader(in, begin, last);
    return good ? Result.INCOMPLETE : Result.NOT_HTTP;
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
