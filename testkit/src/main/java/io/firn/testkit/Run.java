package io.firn.testkit;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Ascending keys in a stretch of a file, each as its distance from the one before: seven bits a
 * byte, lowest first, the high bit set where more bytes follow.
 */
record Run(FileChannel file, long offset, long length, long count) {

  /** The size of the one buffer of a reader or writer. */
  static final int BUFFER_BYTES = 1 << 16;

  private static final int MAX_KEY_BYTES = 10;

  /** Appends keys to a file of its own, as runs: a key below the one before begins a new one. */
  static final class Appender implements Closeable {

    private final FileChannel file;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int filled;
    private long written;
    private long start;
    private long count;
    private long last;

    Appender(Path path) {
      try {
        file =
            FileChannel.open(
                path,
                StandardOpenOption.CREATE_NEW,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Returns whether the key can join the current run. */
    boolean continuesWith(long key) {
      return count == 0 || key >= last;
    }

    void append(long key) {
      long rest = count == 0 ? key ^ Long.MIN_VALUE : key - last;
      if (filled > BUFFER_BYTES - MAX_KEY_BYTES) {
        flush();
      }
      int at = filled;
      while ((rest & ~0x7FL) != 0) {
        buffer[at++] = (byte) (rest | 0x80);
        rest >>>= 7;
      }
      buffer[at++] = (byte) rest;
      filled = at;
      last = key;
      count++;
    }

    /** Ends the current run, which must not be empty. */
    Run endRun() {
      flush();
      Run run = new Run(file, start, written - start, count);
      start = written;
      count = 0;
      return run;
    }

    private void flush() {
      ByteBuffer bytes = ByteBuffer.wrap(buffer, 0, filled);
      try {
        while (bytes.hasRemaining()) {
          written += file.write(bytes, written);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      filled = 0;
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** Reads the keys of one run in order. */
  static final class Reader {

    private final Run run;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int at;
    private int filled;
    private long read;
    private long left;
    private long key = Long.MIN_VALUE;

    Reader(Run run) {
      this.run = run;
      left = run.count();
    }

    /** Returns the key that {@link #advance} came to. */
    long key() {
      return key;
    }

    /** Moves to the next key. */
    boolean advance() {
      if (left == 0) {
        return false;
      }
      left--;
      long distance = nextByte();
      if (distance < 0) {
        distance = longDistance(distance & 0x7F);
      }
      key += distance;
      return true;
    }

    private long longDistance(long low) {
      long distance = low;
      for (int shift = 7; ; shift += 7) {
        long b = nextByte();
        distance |= (b & 0x7F) << shift;
        if (b >= 0) {
          return distance;
        }
      }
    }

    private byte nextByte() {
      if (at == filled) {
        fill();
      }
      return buffer[at++];
    }

    private void fill() {
      int wanted = (int) Math.min(BUFFER_BYTES, run.length() - read);
      try {
        filled = run.file().read(ByteBuffer.wrap(buffer, 0, wanted), run.offset() + read);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      if (filled <= 0) {
        throw new IllegalStateException(
            "The file ends at "
                + (run.offset() + read)
                + ", before the end of a run; leave it unchanged until the report is made");
      }
      read += filled;
      at = 0;
    }
  }
}
