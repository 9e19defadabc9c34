package io.firn.server.redis;

import io.firn.server.ErrorText;
import io.firn.server.RequestException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Writes replies of either version of the protocol. For one connection, on its event loop. */
final class RespWriter {

  private static final byte[] LINE_END = {'\r', '\n'};

  /** The type of a verbatim string. */
  private static final byte[] TEXT = {'t', 'x', 't', ':'};

  private final IdDigits digits;
  private ByteBuf out = Unpooled.EMPTY_BUFFER;
  private int version = 2;
  private boolean idsAsStrings;
  private final List<RequestException.Kind> errors = new ArrayList<>();

  RespWriter(IdDigits digits) {
    this.digits = digits;
  }

  /** Sets the buffer that the following writes go to. */
  void to(ByteBuf buffer) {
    out = buffer;
  }

  /** Returns the version of the protocol: 2 or 3. */
  int version() {
    return version;
  }

  void version(int agreed) {
    version = agreed;
  }

  void simple(String text) {
    line('+', text);
  }

  /** Writes an error; what would end its line is replaced. */
  void error(String text) {
    error(RequestException.Kind.BAD_REQUEST, text);
  }

  /** Writes an error, and counts it by its reason. */
  void error(RequestException.Kind reason, String text) {
    errors.add(reason);
    line('-', ErrorText.shorten(text).replace('\r', ' ').replace('\n', ' '));
  }

  /** Reports the reason of each error since the last call, and returns how many there were. */
  int takeErrors(Consumer<RequestException.Kind> reasons) {
    int taken = errors.size();
    if (taken > 0) {
      errors.forEach(reasons);
      errors.clear();
    }
    return taken;
  }

  /** Returns how many errors were written since the last {@link #takeErrors}. */
  int errors() {
    return errors.size();
  }

  void integer(long value) {
    if (value >= 0) {
      digits.write(out, value);
    } else {
      line(':', Long.toString(value));
    }
  }

  /** Writes IDs as strings from now on, for a client that rounds integers. */
  void idsAsStrings() {
    idsAsStrings = true;
  }

  /**
   * Returns to version 2 of the protocol.
   *
   * @param strings whether IDs are written as strings
   */
  void reset(boolean strings) {
    version = 2;
    idsAsStrings = strings;
  }

  /** Writes IDs, each a reply of its own or an element of an array. */
  void ids(long[] ids, int from, int to) {
    if (idsAsStrings) {
      for (int i = from; i < to; i++) {
        bulk(Long.toString(ids[i]));
      }
    } else {
      digits.write(out, ids, from, to);
    }
  }

  void array(int size) {
    line('*', Integer.toString(size));
  }

  /** Begins a map of this many pairs. */
  void map(int size) {
    line(version == 3 ? '%' : '*', Integer.toString(version == 3 ? size : 2 * size));
  }

  void bulk(String text) {
    bulk(text.getBytes(StandardCharsets.UTF_8));
  }

  void bulk(byte[] bytes) {
    line('$', Integer.toString(bytes.length));
    out.writeBytes(bytes);
    out.writeBytes(LINE_END);
  }

  /** Writes text for people. */
  void verbatim(String text) {
    verbatim(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Writes text for people, in UTF-8. */
  void verbatim(byte[] text) {
    boolean typed = version == 3;
    line(typed ? '=' : '$', Integer.toString(text.length + (typed ? TEXT.length : 0)));
    out.writeBytes(TEXT, 0, typed ? TEXT.length : 0);
    out.writeBytes(text);
    out.writeBytes(LINE_END);
  }

  void none() {
    line(version == 3 ? '_' : '$', version == 3 ? "" : "-1");
  }

  /** Writes null in place of an array. */
  void noArray() {
    line(version == 3 ? '_' : '*', version == 3 ? "" : "-1");
  }

  private void line(char type, String rest) {
    out.writeByte(type);
    out.writeCharSequence(rest, StandardCharsets.UTF_8);
    out.writeBytes(LINE_END);
  }
}
