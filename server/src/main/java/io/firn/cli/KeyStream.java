package io.firn.cli;

import io.firn.key.KeyGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;

/** Writes keys as lines, some at a time. */
final class KeyStream {

  private static final int MAX_BATCH = 1 << 10;

  private final KeyGenerator generator;
  private final OutputStream out;

  KeyStream(KeyGenerator generator, OutputStream out) {
    this.generator = generator;
    this.out = out;
  }

  void write(long count) throws IOException {
    for (long left = count; left > 0; left -= MAX_BATCH) {
      String lines =
          generator.nextKeys((int) Math.min(MAX_BATCH, left)).stream()
              .map(key -> key + "\n")
              .collect(Collectors.joining());
      out.write(lines.getBytes(StandardCharsets.UTF_8));
      out.flush();
    }
  }
}
