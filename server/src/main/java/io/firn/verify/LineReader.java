package io.firn.verify;

import io.firn.text.IdFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Reads the IDs of one stream of lines. Empty lines are passed over. */
final class LineReader {

  private static final int BUFFER_BYTES = 1 << 20;
  private static final int SHOWN_BYTES = 60;

  /** The most digits of which any number has at most 63 bits. */
  private static final int SAFE_DIGITS = 18;

  private final String name;
  private final InputStream in;
  private final LineFormat format;
  private final byte[] buffer = new byte[BUFFER_BYTES];
  private int begin;
  private int end;
  private boolean ended;

  /** True while the rest of a line that was refused is still to be read. */
  private boolean discarding;

  private long line;
  private long bytes;
  private int column = -1;
  private byte separator;
  private int fieldBegin;
  private int fieldEnd;
  private long id;
  private boolean negative;

  LineReader(String name, InputStream in, LineFormat format) {
    this.name = name;
    this.in = in;
    this.format = format;
  }

  /** Returns the number of the line that was read last, from 1. */
  long line() {
    return line;
  }

  /** Returns how many bytes were read. */
  long bytes() {
    return bytes;
  }

  /** Returns the ID of the line that was read last. */
  long id() {
    return id;
  }

  /** Returns whether the ID of the line that was read last is a negative number. */
  boolean negative() {
    return negative;
  }

  /**
   * Reads the next line that has an ID.
   *
   * @return whether there is one
   * @throws BadLineException if a line has something else; the next call reads on after it
   */
  boolean next() throws IOException {
    for (; ; ) {
      int lineEnd = lineEnd();
      if (lineEnd < 0) {
        return false;
      }
      int lineBegin = line == 0 ? afterMark(lineEnd) : begin;
      begin = Math.min(lineEnd + 1, end);
      line++;
      if (line == 1 && readHeader(lineBegin, lineEnd)) {
        continue;
      }
      fieldBegin = lineBegin;
      fieldEnd = lineEnd;
      trim();
      if (fieldBegin == fieldEnd) {
        continue;
      }
      if (column >= 0) {
        fieldBegin = lineBegin;
        fieldEnd = lineEnd;
        selectColumn(lineBegin, lineEnd);
      }
      id = parse();
      return true;
    }
  }

  /** Returns where the first line begins, behind the byte order mark that some editors write. */
  private int afterMark(int lineEnd) {
    boolean marked =
        lineEnd - begin >= 3
            && buffer[begin] == (byte) 0xef
            && buffer[begin + 1] == (byte) 0xbb
            && buffer[begin + 2] == (byte) 0xbf;
    return marked ? begin + 3 : begin;
  }

  /** Returns where the line ends that begins at {@code begin}; -1 if there is none. */
  private int lineEnd() throws IOException {
    if (discarding) {
      discardLine();
    }
    int at = begin;
    for (; ; ) {
      for (; at < end; at++) {
        if (buffer[at] == '\n') {
          return at;
        }
      }
      if (ended) {
        return begin == end ? -1 : end;
      }
      int searched = at - begin;
      fill();
      at = begin + searched;
    }
  }

  private void fill() throws IOException {
    if (begin > 0) {
      System.arraycopy(buffer, begin, buffer, 0, end - begin);
      end -= begin;
      begin = 0;
    }
    if (end == buffer.length) {
      line++;
      discarding = true;
      throw new BadLineException(
          at(line) + "a line of more than " + BUFFER_BYTES + " bytes (expected: a shorter one)");
    }
    end += read(end);
  }

  /** Reads to the buffer from there on, and returns how many bytes; 0 at the end of the stream. */
  private int read(int from) throws IOException {
    int read;
    try {
      read = in.read(buffer, from, buffer.length - from);
    } catch (IOException e) {
      throw new IOException(name + ": " + e.getMessage(), e);
    }
    ended = read < 0;
    bytes += Math.max(0, read);
    return Math.max(0, read);
  }

  private void discardLine() throws IOException {
    discarding = false;
    do {
      end = read(0);
      for (begin = 0; begin < end; begin++) {
        if (buffer[begin] == '\n') {
          begin++;
          return;
        }
      }
    } while (!ended);
  }

  /** Reads what the first line says of columns, and returns whether that is all it says. */
  private boolean readHeader(int from, int to) {
    if (!format.hasColumns()) {
      return format.header();
    }
    separator = (byte) (char) format.separator().orElseGet(() -> guessedSeparator(from, to));
    if (format.columnName().isEmpty()) {
      column = format.column().orElseThrow() - 1;
      return format.header();
    }
    String wanted = format.columnName().get();
    List<String> names = new ArrayList<>();
    for (int at = from; at <= to; ) {
      int next = columnEnd(at, to);
      fieldBegin = at;
      fieldEnd = next;
      trim();
      names.add(text(fieldBegin, fieldEnd));
      at = next + 1;
    }
    column = names.indexOf(wanted);
    if (column < 0) {
      throw new IllegalArgumentException(
          "column: "
              + wanted
              + " (expected: a column of "
              + name
              + ": "
              + String.join(", ", names)
              + ")");
    }
    return true;
  }

  private char guessedSeparator(int from, int to) {
    for (int at = from; at < to; at++) {
      if (buffer[at] == '\t') {
        return '\t';
      }
    }
    return ',';
  }

  private void selectColumn(int from, int to) {
    int at = from;
    for (int i = 0; i < column; i++) {
      at = columnEnd(at, to) + 1;
      if (at > to) {
        throw new BadLineException(
            at(line) + (i + 1) + " columns (expected: at least " + (column + 1) + ")");
      }
    }
    fieldBegin = at;
    fieldEnd = columnEnd(at, to);
    trim();
  }

  /** Returns where the column ends that begins there; separators between quotes end none. */
  private int columnEnd(int from, int to) {
    boolean quoted = false;
    for (int at = from; at < to; at++) {
      if (buffer[at] == '"') {
        quoted = !quoted;
      } else if (buffer[at] == separator && !quoted) {
        return at;
      }
    }
    return to;
  }

  /** Takes spaces and then quotes off the field. */
  private void trim() {
    while (fieldBegin < fieldEnd && isSpace(buffer[fieldBegin])) {
      fieldBegin++;
    }
    while (fieldBegin < fieldEnd && isSpace(buffer[fieldEnd - 1])) {
      fieldEnd--;
    }
    if (fieldEnd - fieldBegin > 1 && buffer[fieldBegin] == '"' && buffer[fieldEnd - 1] == '"') {
      fieldBegin++;
      fieldEnd--;
    }
  }

  private static boolean isSpace(byte character) {
    return character == ' ' || character == '\r' || character == '\t';
  }

  private long parse() {
    negative = false;
    return format.form() == IdFormat.DECIMAL ? parseSigned() : parseOther();
  }

  private long parseSigned() {
    if (fieldBegin == fieldEnd || buffer[fieldBegin] != '-') {
      return parseDecimal(fieldBegin);
    }
    long number = -parseDecimal(fieldBegin + 1);
    if (number > 0) {
      throw bad();
    }
    negative = number < 0;
    return number;
  }

  private long parseDecimal(int digitsBegin) {
    int digits = fieldEnd - digitsBegin;
    if (digits == 0) {
      throw bad();
    }
    long number = 0;
    int safeEnd = digitsBegin + Math.min(digits, SAFE_DIGITS);
    for (int at = digitsBegin; at < safeEnd; at++) {
      int digit = buffer[at] - '0';
      if (digit < 0 || digit > 9) {
        throw bad();
      }
      number = number * 10 + digit;
    }
    return digits <= SAFE_DIGITS ? number : parseLong(number, safeEnd);
  }

  /** Reads the last digits of a number that may have more than 64 bits. */
  private long parseLong(long first, int from) {
    long number = first;
    for (int at = from; at < fieldEnd; at++) {
      int digit = buffer[at] - '0';
      long largest = Long.divideUnsigned(-1 - digit, 10);
      if (digit < 0 || digit > 9 || Long.compareUnsigned(number, largest) > 0) {
        throw bad();
      }
      number = number * 10 + digit;
    }
    return number;
  }

  private long parseOther() {
    try {
      return format.form().parse(format.form() == IdFormat.HEX ? hex() : field());
    } catch (IllegalArgumentException e) {
      throw bad();
    }
  }

  /** Returns 16 digits, as databases write fewer of them, and some with 0x before. */
  private String hex() {
    String field = field();
    String digits = field.startsWith("0x") || field.startsWith("0X") ? field.substring(2) : field;
    return digits.isEmpty() ? field : "0".repeat(Math.max(0, 16 - digits.length())) + digits;
  }

  private String field() {
    return text(fieldBegin, fieldEnd);
  }

  private BadLineException bad() {
    int shown = Math.min(fieldEnd - fieldBegin, SHOWN_BYTES);
    return new BadLineException(
        at(line)
            + text(fieldBegin, fieldBegin + shown)
            + (shown < fieldEnd - fieldBegin ? "…" : "")
            + " (expected: an ID of at most 64 bits in "
            + format.form().label()
            + option()
            + ")");
  }

  /** Returns the option that may be missing where a line has no ID. */
  private String option() {
    boolean table =
        column < 0
            && IntStream.range(fieldBegin, fieldEnd)
                .anyMatch(at -> buffer[at] == ',' || buffer[at] == '\t');
    if (table) {
      return "; --column chooses that of a table";
    }
    // A field with digits is rather an ID of another form, or one that is too large.
    boolean name =
        field().chars().anyMatch(Character::isLetter)
            && field().chars().noneMatch(Character::isDigit);
    return line == 1 && name ? "; --header passes over the first line" : "";
  }

  private String at(long number) {
    return name + ":" + number + ": ";
  }

  /** Returns bytes as text, without what would move a terminal's cursor. */
  private String text(int from, int to) {
    byte[] part = Arrays.copyOfRange(buffer, from, to);
    return new String(part, StandardCharsets.UTF_8).replaceAll("\\p{Cntrl}", "?");
  }
}
