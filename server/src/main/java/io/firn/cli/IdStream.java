package io.firn.cli;

import io.firn.IdGenerator;
import io.firn.IdLayout.Kind;
import io.firn.Snowflake;
import io.firn.text.IdFormat;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes IDs as lines, in batches of about one tick: a reader gets each as soon as it can be
 * issued, and a fast reader costs one system call a tick.
 */
final class IdStream {

  private static final int MAX_BATCH = 1 << 12;

  private final IdGenerator generator;
  private final IdFormat format;
  private final OutputStream out;
  private final long[] ids;
  private final byte[] lines;

  IdStream(Snowflake generator, IdFormat format, OutputStream out) {
    this(generator, 1L << generator.layout().bits(Kind.SEQUENCE), format, out);
  }

  /** A stream in batches of at most so many. */
  IdStream(IdGenerator generator, long batch, IdFormat format, OutputStream out) {
    this.generator = generator;
    this.format = format;
    this.out = out;
    ids = new long[(int) Math.min(MAX_BATCH, batch)];
    lines = new byte[ids.length * (format.maxLength() + 1)];
  }

  void write(long count) throws IOException {
    for (long left = count; left > 0; left -= ids.length) {
      writeBatch((int) Math.min(ids.length, left));
    }
  }

  private void writeBatch(int count) throws IOException {
    generator.nextIds(ids, 0, count);
    int length = 0;
    for (int i = 0; i < count; i++) {
      length += format.write(ids[i], lines, length);
      lines[length++] = '\n';
    }
    out.write(lines, 0, length);
    out.flush();
  }
}
