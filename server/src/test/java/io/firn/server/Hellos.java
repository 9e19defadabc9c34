package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;

/** Hellos of clients that begin a TLS 1.3 handshake. */
final class Hellos {

  private static final int MAX_RECORD_BYTES = 16 << 10;

  /** A public key of X25519, of RFC 7748. */
  private static final String KEY =
      "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a";

  private Hellos() {}

  /**
   * Returns the records of a hello with thousands of key shares that no server knows, and one that
   * it takes.
   *
   * @param bytes its length, roughly
   */
  static byte[] withKeyShares(int bytes) {
    ByteBuf shares = Unpooled.buffer();
    while (shares.readableBytes() < bytes - 200) {
      shares.writeShort(0x0a0a).writeShort(1).writeByte(0);
    }
    shares.writeShort(29).writeShort(32).writeBytes(ByteBufUtil.decodeHexDump(KEY));
    ByteBuf extensions = Unpooled.buffer();
    extension(extensions, 10, "0002001d");
    extension(extensions, 13, "0006080404030401");
    extension(extensions, 43, "020304");
    extension(extensions, 45, "0101");
    extensions.writeShort(51).writeShort(shares.readableBytes() + 2);
    extensions.writeShort(shares.readableBytes()).writeBytes(shares);
    ByteBuf body = Unpooled.buffer().writeShort(0x0303).writeZero(32).writeByte(0);
    body.writeShort(2).writeShort(0x1301).writeShort(0x0100);
    body.writeShort(extensions.readableBytes()).writeBytes(extensions);
    ByteBuf message = Unpooled.buffer().writeByte(1).writeMedium(body.readableBytes());
    message.writeBytes(body);
    ByteBuf records = Unpooled.buffer();
    while (message.isReadable()) {
      ByteBuf part = message.readSlice(Math.min(MAX_RECORD_BYTES, message.readableBytes()));
      records.writeByte(22).writeShort(0x0301).writeShort(part.readableBytes()).writeBytes(part);
    }
    return ByteBufUtil.getBytes(records);
  }

  private static void extension(ByteBuf to, int type, String hex) {
    byte[] data = ByteBufUtil.decodeHexDump(hex);
    to.writeShort(type).writeShort(data.length).writeBytes(data);
  }
}
