package io.firn.server.thrift;

import io.netty.buffer.ByteBuf;

/** The types of Thrift's binary protocol, as far as a server must know them to skip a value. */
final class ThriftType {

  static final byte STOP = 0;
  static final byte I32 = 8;
  static final byte I64 = 10;
  static final byte STRING = 11;

  private static final byte BOOL = 2;
  private static final byte BYTE = 3;
  private static final byte DOUBLE = 4;
  private static final byte I16 = 6;
  private static final byte STRUCT = 12;
  private static final byte MAP = 13;
  private static final byte SET = 14;
  private static final byte LIST = 15;

  /** As deep as Thrift's own libraries go. */
  private static final int MAX_DEPTH = 64;

  private ThriftType() {}

  /**
   * Reads over a value.
   *
   * @throws IndexOutOfBoundsException if it ends too late
   */
  static void skip(ByteBuf in, byte type) throws ThriftException {
    skip(in, type, MAX_DEPTH);
  }

  private static void skip(ByteBuf in, byte type, int depth) throws ThriftException {
    if (depth == 0) {
      throw refused("depth: " + (MAX_DEPTH + 1) + " (expected: at most " + MAX_DEPTH + ")");
    }
    switch (type) {
      case BOOL, BYTE -> in.skipBytes(1);
      case I16 -> in.skipBytes(2);
      case I32 -> in.skipBytes(4);
      case I64, DOUBLE -> in.skipBytes(8);
      case STRING -> in.skipBytes(readLength(in));
      case STRUCT -> skipFields(in, depth);
      case MAP -> skipElements(in, depth, in.readByte(), in.readByte());
      case SET, LIST -> skipElements(in, depth, in.readByte());
      default -> throw refused("type: " + type + " (expected: one of Thrift's)");
    }
  }

  private static void skipFields(ByteBuf in, int depth) throws ThriftException {
    for (byte type = in.readByte(); type != STOP; type = in.readByte()) {
      in.skipBytes(2);
      skip(in, type, depth - 1);
    }
  }

  /** Every element takes a byte at least, so the frame ends before a count that lies. */
  private static void skipElements(ByteBuf in, int depth, byte... types) throws ThriftException {
    for (int left = readLength(in); left > 0; left--) {
      for (byte type : types) {
        skip(in, type, depth - 1);
      }
    }
  }

  /**
   * Reads how long a text or a collection is.
   *
   * @throws IndexOutOfBoundsException if that is negative
   */
  static int readLength(ByteBuf in) {
    int length = in.readInt();
    if (length < 0) {
      throw new IndexOutOfBoundsException(length);
    }
    return length;
  }

  private static ThriftException refused(String message) {
    return new ThriftException(ThriftException.Kind.PROTOCOL_ERROR, message);
  }
}
