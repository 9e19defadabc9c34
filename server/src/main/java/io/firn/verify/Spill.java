package io.firn.verify;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A temporary file of chunks, written by one thread and then read by several. It is made when the
 * first chunk comes, and deleted when it is closed.
 */
final class Spill implements Closeable {

  private final Path directory;
  private @Nullable FileChannel file;
  private long length;

  Spill(Path directory) {
    this.directory = directory;
  }

  /** Appends a chunk, and returns where it begins. */
  long append(byte[] chunk, int size) {
    try {
      FileChannel to = file == null ? create() : file;
      file = to;
      long begin = length;
      for (ByteBuffer rest = ByteBuffer.wrap(chunk, 0, size); rest.hasRemaining(); ) {
        length += to.write(rest, length);
      }
      return begin;
    } catch (IOException e) {
      throw failed(e);
    }
  }

  private FileChannel create() throws IOException {
    return FileChannel.open(
        Files.createTempFile(directory, "firn-verify", ".tmp"),
        StandardOpenOption.READ,
        StandardOpenOption.WRITE,
        StandardOpenOption.DELETE_ON_CLOSE);
  }

  /** Reads a chunk. */
  void read(long begin, byte[] target, int size) {
    FileChannel from = Objects.requireNonNull(file);
    try {
      ByteBuffer rest = ByteBuffer.wrap(target, 0, size);
      for (long at = begin; rest.hasRemaining(); ) {
        int read = from.read(rest, at);
        if (read < 0) {
          throw new IOException("it was cut off at " + at);
        }
        at += read;
      }
    } catch (IOException e) {
      throw failed(e);
    }
  }

  /** Returns how many bytes the file has. */
  long length() {
    return length;
  }

  private UncheckedIOException failed(IOException e) {
    return new UncheckedIOException(
        new IOException(
            "temporary file in "
                + directory
                + ", "
                + length
                + " bytes: "
                + e.getMessage()
                + "; --temp DIR names another directory",
            e));
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
