package io.firn.server.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kind of file that a running server reads: to open a pipe waits for its writer. */
public final class RegularFile {

  static final String RULE = "a regular file";

  /**
   * The most that a file may have: 1 MiB with a heap of 128 MB. The nodes of a YAML file can take
   * fifty times its length.
   */
  private static final int MAX_BYTES =
      (int) Math.min(3 << 20, Long.highestOneBit(Runtime.getRuntime().maxMemory() / 64));

  private RegularFile() {}

  /**
   * Refuses something else at the path of a setting.
   *
   * @throws IllegalArgumentException if it is there
   */
  static void check(String key, Path path) {
    if (isOther(path)) {
      throw new IllegalArgumentException(key + ": " + path + " (expected: " + RULE + ")");
    }
  }

  /** Returns whether there is something else at a path. Follows symbolic links. */
  static boolean isOther(Path path) {
    return Files.exists(path) && !Files.isRegularFile(path);
  }

  /**
   * Reads the text of a file, or of a pipe at the first start.
   *
   * @throws IOException if it cannot be read, or is too large
   */
  public static String read(Path path, Charset charset) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] bytes = in.readNBytes(MAX_BYTES + 1);
      if (bytes.length > MAX_BYTES) {
        throw new IOException("it has more than " + MAX_BYTES + " bytes");
      }
      return charset.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }
  }
}
