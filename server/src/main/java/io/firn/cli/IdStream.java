package io.firn.cli;

import io.firn.IdGenerator;
import io.firn.IdLayout.Kind;
import io.firn.Snowflake;
import io.firn.text.IdFormat;
import io.firn.wide.WideIdGenerator;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * Writes IDs as lines, in batches of about one tick: a reader gets each as soon as it can be
 * issued, and a fast reader costs one system call a tick.
 */
final class IdStream {

  private static final int MAX_BATCH = 1 << 12;

  /** Issues IDs and writes their lines. */
  private interface Batch {
    void write(int count) throws IOException;
  }

  private final OutputStream out;
  private final int size;
  private final Batch batch;

  private IdStream(OutputStream out, int size, Batch batch) {
    this.out = out;
    this.size = size;
    this.batch = batch;
  }

  static IdStream of(Snowflake generator, IdFormat format, OutputStream out) {
    return of(generator, 1L << generator.layout().bits(Kind.SEQUENCE), format, out);
  }

  /** Returns a stream in batches of at most a given size. */
  static IdStream of(IdGenerator generator, long maxBatch, IdFormat format, OutputStream out) {
    long[] ids = new long[(int) Math.min(MAX_BATCH, maxBatch)];
    byte[] lines = new byte[ids.length * (format.maxLength() + 1)];
    return new IdStream(
        out,
        ids.length,
        count -> {
          generator.nextIds(ids, 0, count);
          int length = 0;
          for (int i = 0; i < count; i++) {
            length += format.write(ids[i], lines, length);
            lines[length++] = '\n';
          }
          out.write(lines, 0, length);
        });
  }

  static IdStream of(WideIdGenerator<?> generator, OutputStream out) {
    return new IdStream(
        out,
        MAX_BATCH,
        count -> {
          StringBuilder lines = new StringBuilder();
          for (int i = 0; i < count; i++) {
            lines.append(generator.nextId()).append('\n');
          }
          out.write(lines.toString().getBytes(StandardCharsets.US_ASCII));
        });
  }

  void write(long count) throws IOException {
    for (long left = count; left > 0; left -= size) {
      batch.write((int) Math.min(size, left));
      out.flush();
    }
  }
}
