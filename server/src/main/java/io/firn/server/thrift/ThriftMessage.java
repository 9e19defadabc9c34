package io.firn.server.thrift;

import io.firn.server.ErrorText;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The head of a call, which its reply repeats: with a version before it ("strict"), or as it was
 * before there were versions.
 *
 * @param method which method is called
 * @param type what kind of message it is
 * @param sequence the client's number for it
 * @param strict whether it begins with a version
 */
record ThriftMessage(String method, byte type, int sequence, boolean strict) {

  static final byte CALL = 1;
  static final byte ONEWAY = 4;

  /** For a reply to what cannot be read. */
  static final ThriftMessage UNREAD = new ThriftMessage("", CALL, 0, true);

  private static final byte REPLY = 2;
  private static final byte EXCEPTION = 3;
  private static final int VERSION_1 = 0x8001_0000;
  private static final int VERSION_MASK = 0xFFFF_0000;

  /**
   * Reads the head of a frame.
   *
   * @throws IndexOutOfBoundsException if the frame ends before
   */
  static ThriftMessage read(ByteBuf frame) throws ThriftException {
    int first = frame.readInt();
    if (first >= 0) {
      String method = text(frame, first);
      return new ThriftMessage(method, frame.readByte(), frame.readInt(), false);
    }
    if ((first & VERSION_MASK) != VERSION_1) {
      throw new ThriftException(
          ThriftException.Kind.PROTOCOL_ERROR,
          String.format(Locale.ROOT, "version: %08x (expected: 8001)", first));
    }
    String method = text(frame, ThriftType.readLength(frame));
    return new ThriftMessage(method, (byte) first, frame.readInt(), true);
  }

  /** Reads the text among the arguments that has that number; null if there is none. */
  static @Nullable String readText(ByteBuf frame, int field) throws ThriftException {
    String text = null;
    for (byte type = frame.readByte(); type != ThriftType.STOP; type = frame.readByte()) {
      int number = frame.readShort();
      if (number == field && type == ThriftType.STRING) {
        text = text(frame, ThriftType.readLength(frame));
      } else {
        ThriftType.skip(frame, type);
      }
    }
    return text;
  }

  private static String text(ByteBuf frame, int length) {
    return frame.readCharSequence(length, StandardCharsets.UTF_8).toString();
  }

  /** Writes the frame that answers with a number. */
  void writeReply(ByteBuf out, long value) {
    int begin = begin(out, REPLY);
    out.writeByte(ThriftType.I64).writeShort(0).writeLong(value).writeByte(ThriftType.STOP);
    end(out, begin);
  }

  /** Writes the frame that says why there is no answer. */
  void writeException(ByteBuf out, ThriftException exception) {
    int begin = begin(out, EXCEPTION);
    out.writeByte(ThriftType.STRING).writeShort(1);
    writeText(out, ErrorText.shorten(String.valueOf(exception.getMessage())));
    out.writeByte(ThriftType.I32).writeShort(2).writeInt(exception.kind().code);
    out.writeByte(ThriftType.STOP);
    end(out, begin);
  }

  private int begin(ByteBuf out, byte kind) {
    int begin = out.writerIndex();
    out.writeInt(0);
    if (strict) {
      out.writeInt(VERSION_1 | kind);
      writeText(out, method);
    } else {
      writeText(out, method);
      out.writeByte(kind);
    }
    out.writeInt(sequence);
    return begin;
  }

  private static void end(ByteBuf out, int begin) {
    out.setInt(begin, out.writerIndex() - begin - Integer.BYTES);
  }

  private static void writeText(ByteBuf out, String text) {
    out.writeInt(ByteBufUtil.utf8Bytes(text));
    out.writeCharSequence(text, StandardCharsets.UTF_8);
  }
}
