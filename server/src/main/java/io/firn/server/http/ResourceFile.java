package io.firn.server.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A file that comes with the server, read when it is first asked for. All connections send it from
 * one buffer. Immutable.
 */
final class ResourceFile {

  private static final Map<String, ResourceFile> READ = new ConcurrentHashMap<>();

  private final ByteBuf content;
  private final String tag;

  private ResourceFile(byte[] bytes) {
    content =
        Unpooled.unreleasableBuffer(
            Unpooled.directBuffer(bytes.length).writeBytes(bytes).asReadOnly());
    tag = '"' + digest(bytes) + '"';
  }

  /** Returns the file of that name beside this class, which must be there. */
  static ResourceFile of(String name) {
    return READ.computeIfAbsent(name, ResourceFile::read);
  }

  private static ResourceFile read(String name) {
    try (InputStream file = ResourceFile.class.getResourceAsStream(name)) {
      return new ResourceFile(Objects.requireNonNull(file, name).readAllBytes());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String digest(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return HexFormat.of().formatHex(digest, 0, 16);
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError(e); // every JVM has it
    }
  }

  /** Returns its entity tag (RFC 9110, section 8.8.3), quotes included. */
  String tag() {
    return tag;
  }

  /** Returns whether a header {@code If-None-Match} names it. */
  boolean isAmong(String tags) {
    return tags.strip().equals("*") || tags.contains(tag);
  }

  /** Returns the whole content, which must not be written to. */
  ByteBuf content() {
    return content.duplicate();
  }
}
