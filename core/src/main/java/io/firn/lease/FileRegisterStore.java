package io.firn.lease;

import io.firn.time.TimeSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * Registers as files in one directory, shared by all processes of a host. Thread-safe.
 *
 * <p>A register is a file that people can read: its version on the first line, then its value. A
 * write makes a new file beside it, forces that to the disk, and moves it over the old one, so that
 * a reader sees the old or the new and a crash at any moment leaves one of the two. Writers exclude
 * each other by a lock on the file {@code lock}, which the operating system takes back from a
 * process that dies. Not for network file systems, whose locks do not keep that promise.
 */
public final class FileRegisterStore implements RegisterStore {

  private static final String SUFFIX = ".register";
  private static final int MAX_FILE_NAME_BYTES = 240;

  /** Longer than any write takes, and short against half a lease's window. */
  private static final long MAX_LOCK_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final long LOCK_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final Pattern VERSION_LINE = Pattern.compile("[1-9][0-9]{0,17}\n");
  private static final int MAX_INTERRUPTIONS = 3;

  /**
   * One lock a directory: the operating system's excludes processes from each other, not threads.
   */
  private static final Map<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

  private final Path directory;
  private final ReentrantLock threads;

  /**
   * A system property that is set while some copy of this class is at the lock's file. The
   * operating system takes a process's lock away as soon as any channel of that file is closed in
   * it, so the copies of other class loaders must keep off, and only the JDK's own classes are
   * common to all.
   */
  private final String occupied;

  private FileRegisterStore(Path directory) {
    this.directory = directory;
    threads = THREADS.computeIfAbsent(directory, path -> new ReentrantLock());
    occupied = "io.firn.lease.occupied:" + directory;
  }

  /**
   * Opens the store in that directory, and makes the directory if it is not there.
   *
   * @throws StoreException if the directory cannot be made or written
   */
  public static FileRegisterStore open(Path directory) {
    try {
      Files.createDirectories(directory);
      FileRegisterStore store = new FileRegisterStore(directory.toRealPath());
      store.touchLock();
      return store;
    } catch (IOException e) {
      throw new StoreException(
          "store: file:" + directory + " (expected: a directory to write in; " + e + ")", e);
    }
  }

  private void touchLock() throws IOException {
    enter();
    try {
      openLock().close();
    } finally {
      leave();
    }
  }

  /** Opened anew for each write: an interrupted thread closes the channel that it waits on. */
  private FileChannel openLock() throws IOException {
    return FileChannel.open(
        directory.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  @Override
  public Optional<Register> read(String name) {
    return readFile(file(name), name);
  }

  private Optional<Register> readFile(Path file, String name) {
    try {
      String text = Files.readString(file);
      int end = text.indexOf('\n');
      return Optional.of(
          new Register(name, version(file, text.substring(0, end + 1)), text.substring(end + 1)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw failed("read", file, e);
    }
  }

  private long version(Path file, String line) {
    if (!VERSION_LINE.matcher(line).matches()) {
      throw new StoreException(
          "store: " + this + " (expected: a version on the first line of " + file + ")");
    }
    return Long.parseLong(line.strip());
  }

  @Override
  public List<Register> scan(String prefix) {
    List<Register> found = new ArrayList<>();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, FileName.encode(prefix) + "*" + SUFFIX)) {
      for (Path file : files) {
        String encoded = file.getFileName().toString();
        String name = FileName.decode(encoded.substring(0, encoded.length() - SUFFIX.length()));
        readFile(file, name).ifPresent(found::add);
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw failed("read", directory, e);
    }
    return found;
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    Path file = file(name);
    byte[] text =
        ((expectedVersion + 1) + "\n" + Register.requireValue(value))
            .getBytes(StandardCharsets.UTF_8);
    boolean interrupted = Thread.interrupted(); // a write is short, it is finished first
    try {
      for (int interruptions = 0; ; interruptions++) {
        try {
          return swap(file, name, expectedVersion, text);
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
          if (interruptions == MAX_INTERRUPTIONS) {
            throw failed("write", file, e);
          }
        } catch (IOException | OverlappingFileLockException e) {
          throw failed("write", file, e);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private WriteResult swap(Path file, String name, long expectedVersion, byte[] text)
      throws IOException {
    enter();
    try (FileChannel channel = openLock()) {
      lock(channel); // until the channel is closed
      if (readFile(file, name).map(Register::version).orElse(0L) != expectedVersion) {
        return WriteResult.CONFLICT;
      }
      Path fresh = directory.resolve("next");
      writeForced(fresh, text);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      leave();
    }
    return forceDirectory() ? WriteResult.applied(expectedVersion + 1) : WriteResult.UNKNOWN;
  }

  /** Keeps all other threads of this process from the lock's file. */
  private void enter() throws IOException {
    threads.lock();
    try {
      await(() -> System.getProperties().putIfAbsent(occupied, "") == null);
    } catch (IOException e) {
      threads.unlock();
      throw e;
    }
  }

  private void leave() {
    System.getProperties().remove(occupied);
    threads.unlock();
  }

  private static void lock(FileChannel channel) throws IOException {
    await(() -> channel.tryLock() != null);
  }

  private interface Attempt {
    boolean succeeds() throws IOException;
  }

  /** Waits for others, but not for ever: a process that is stopped in a write keeps the lock. */
  private static void await(Attempt attempt) throws IOException {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    while (!attempt.succeeds()) {
      if (time.nanoTime() - begin > MAX_LOCK_WAIT_NANOS) {
        throw new IOException(
            "another process has the lock for "
                + TimeUnit.NANOSECONDS.toMillis(MAX_LOCK_WAIT_NANOS)
                + " ms");
      }
      time.parkNanos(LOCK_POLL_NANOS);
      if (Thread.currentThread().isInterrupted()) {
        throw new ClosedByInterruptException();
      }
    }
  }

  private static void writeForced(Path file, byte[] text) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE)) {
      ByteBuffer buffer = ByteBuffer.wrap(text);
      while (buffer.hasRemaining()) {
        channel.write(buffer);
      }
      channel.force(true);
    }
  }

  /** Makes the move last; false if the operating system does not say that it does. */
  private boolean forceDirectory() {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private Path file(String name) {
    String encoded = FileName.encode(Register.requireName(name)) + SUFFIX;
    if (encoded.length() > MAX_FILE_NAME_BYTES) {
      throw new IllegalArgumentException(
          "name: "
              + name
              + " (expected: at most "
              + MAX_FILE_NAME_BYTES
              + " bytes as a file name, it takes "
              + encoded.length()
              + ")");
    }
    return directory.resolve(encoded);
  }

  private StoreException failed(String verb, Path file, Exception e) {
    return new StoreException(
        "store: " + this + " (expected: to " + verb + " " + file.getFileName() + "; " + e + ")", e);
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "file:" + directory;
  }
}
