package io.firn.store;

import io.firn.time.TimeSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * Registers as files in one directory, shared by all processes of a host. Thread-safe.
 *
 * <p>A register is a file that people can read: its version on the first line, then its value. The
 * first version is the time in microseconds, so that a register that was deleted does not begin
 * with the versions of the one before. A write makes a new file beside it, forces that to the disk,
 * and moves it over the old one, so that a reader sees the old or the new and a crash at any moment
 * leaves one of the two. Writers of one register exclude each other by a lock on a byte of the file
 * {@code lock}, which names the last writer and must never be deleted; the operating system takes
 * the lock back from a process that dies. A process that is stopped in a write keeps it, and so
 * delays only those that write the same register. Not for network file systems, whose locks do not
 * keep that promise. Where the file system ignores case, registers whose names differ in case only
 * are one file, and their writers exclude each other too. Files that no register has, such as
 * copies of one, are ignored.
 *
 * <p>Some file systems cannot force a directory to the disk (Windows, some mounts). If it fails
 * when the store is opened, that is logged: an acknowledged write may then be lost when the power
 * fails, but not when a process dies. Once it has succeeded, a write after which it fails is {@link
 * WriteResult#UNKNOWN}.
 */
public final class FileRegisterStore implements RegisterStore {

  private static final System.Logger LOGGER = System.getLogger(FileRegisterStore.class.getName());

  private static final String LOCK = "lock";
  private static final String SUFFIX = ".register";

  /** No register's file ends like that. */
  private static final String FRESH_SUFFIX = ".tmp";

  private static final int MAX_FILE_NAME_BYTES = 240;

  /** Longer than any write takes, and short against half a lease's window. */
  private static final long MAX_LOCK_WAIT_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** Past the text of the lock's file, which Windows lets no process write while it is locked. */
  private static final long FIRST_LOCKED_BYTE = 1L << 20;

  private static final long LOCK_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final Pattern VERSION_LINE = Pattern.compile("[1-9][0-9]{0,17}\n");
  private static final int MAX_INTERRUPTIONS = 3;

  /**
   * One lock a directory: the operating system's excludes processes from each other, not threads.
   */
  private static final Map<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

  private final Path directory;
  private final ReentrantLock threads;

  /** A name of this writer's own: after someone deleted the lock's file there may be two. */
  private final String writer;

  /** Set once the directory was there: from then on, one that is not there is lost. */
  private volatile boolean seen;

  /** Set once the directory was forced: from then on, a write counts only if it is. */
  private volatile boolean forcesDirectory;

  /**
   * The monitor of a thread that is at the lock's file. The operating system takes a process's lock
   * away as soon as any channel of that file is closed in it, so the copies of this class in other
   * class loaders must keep off. An interned string is the same object in all of them. Waiting for
   * it has no time limit, because the write of the other copy has none.
   */
  private final String monitor;

  private FileRegisterStore(Path directory) {
    this.directory = directory;
    threads = THREADS.computeIfAbsent(directory, path -> new ReentrantLock());
    monitor = ("io.firn.store.lock:" + directory).intern();
    writer =
        "next-"
            + ProcessHandle.current().pid()
            + "-"
            + Long.toHexString(StoreRandom.below(1L << 32));
  }

  /** Records that the directory is there. */
  private void seeDirectory() {
    if (seen) {
      return;
    }
    seen = true;
    if (!forceDirectory()) {
      LOGGER.log(
          System.Logger.Level.WARNING,
          "store: "
              + this
              + " cannot force its directory to the disk: an acknowledged write may be lost when"
              + " the power fails");
    }
  }

  /**
   * Opens the store in that directory. The first write makes the directory if it is not there.
   *
   * @throws StoreException if the directory cannot be written, or the process may not make it
   */
  public static FileRegisterStore open(Path directory) {
    return open(directory, true);
  }

  /**
   * Opens the store in a directory that is there. Makes no file before the first write: to read the
   * store, a process needs the right to read the directory and its files, and no other.
   *
   * @throws StoreException if there is no such directory, or the process may not read it
   */
  public static FileRegisterStore openExisting(Path directory) {
    return open(directory, false);
  }

  private static FileRegisterStore open(Path directory, boolean writes) {
    boolean interrupted = Thread.interrupted(); // it would close the files that are tried
    try {
      if (writes && !Files.isDirectory(directory)) {
        return new FileRegisterStore(makeable(directory));
      }
      Path real = directory.toRealPath();
      if (!Files.isDirectory(real)) {
        throw new NotDirectoryException(real.toString());
      }
      if (!Files.isReadable(real)) {
        throw new AccessDeniedException(real.toString());
      }
      FileRegisterStore store = new FileRegisterStore(real);
      store.seeDirectory();
      if (writes) {
        store.tidyUp();
      }
      return store;
    } catch (IOException e) {
      throw unusable(directory, writes ? "write" : "read", e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns where a directory that is not there would be made. */
  private static Path makeable(Path directory) throws IOException {
    Path all = directory.toAbsolutePath();
    Path there = all;
    while (!Files.exists(there, LinkOption.NOFOLLOW_LINKS) && there.getParent() != null) {
      there = there.getParent();
    }
    if (there.equals(all)) { // a file, or a link to nothing
      throw new FileAlreadyExistsException(directory.toString());
    }
    if (!Files.isDirectory(there)) {
      throw new NotDirectoryException(there.toString());
    }
    if (!Files.isWritable(there)) {
      throw new AccessDeniedException(there.toString());
    }
    return there.toRealPath().resolve(there.relativize(all)).normalize();
  }

  private static StoreException unusable(Path directory, String right, IOException e) {
    return new StoreException(
        "Store file:"
            + directory
            + " has no directory that it can "
            + right
            + ": "
            + reason(e)
            + "; give the process a directory that it may "
            + right,
        e);
  }

  /** Returns the reason of a failure in words: the message of some exceptions is only the path. */
  private static String reason(Exception e) {
    String message = e.getMessage();
    if (message == null) {
      return e.toString();
    }
    if (e instanceof NotDirectoryException || e instanceof FileAlreadyExistsException) {
      return message
          + (Files.isSymbolicLink(Path.of(message)) ? " is a link to nothing" : " is a file");
    }
    if (e instanceof AccessDeniedException) {
      return message + ": permission denied";
    }
    return e instanceof NoSuchFileException ? message + " is missing" : message;
  }

  /**
   * Deletes files that crashed writers left behind; the holder of the lock writes its own later.
   * Does nothing during a write of another thread of this copy, which may hang, and makes no file.
   */
  private void tidyUp() throws IOException {
    if (Files.notExists(directory.resolve(LOCK))) {
      if (!Files.isWritable(directory)) {
        throw new AccessDeniedException(directory.toString());
      }
      return; // no writer was here
    }
    if (!threads.tryLock()) {
      return;
    }
    try {
      synchronized (monitor) {
        deleteLeftOvers();
      }
    } finally {
      threads.unlock();
    }
  }

  private void deleteLeftOvers() throws IOException {
    try (FileChannel channel = openLock();
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        return;
      }
      try (DirectoryStream<Path> left =
          Files.newDirectoryStream(directory, "next-*" + FRESH_SUFFIX)) {
        for (Path file : left) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /**
   * Opens the lock file, for each write anew: an interrupted thread closes the channel that it
   * waits on.
   */
  private FileChannel openLock() throws IOException {
    return FileChannel.open(
        directory.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  @Override
  public Optional<Register> read(String name) {
    return readFile(file(name), name);
  }

  private Optional<Register> readFile(Path file, String name) {
    try {
      String text = Files.readString(file);
      seeDirectory();
      int end = text.indexOf('\n');
      return Optional.of(
          new Register(name, version(file, text.substring(0, end + 1)), text.substring(end + 1)));
    } catch (NoSuchFileException e) {
      if (isMissing()) { // the store is away, which says nothing about a register
        throw failed("read", file, e);
      }
      return Optional.empty();
    } catch (IOException e) {
      throw failed("read", file, e);
    }
  }

  /** Returns whether the directory was there and is not, and sees it if it is there. */
  private boolean isMissing() {
    if (!Files.isDirectory(directory)) {
      return seen;
    }
    seeDirectory();
    return false;
  }

  /** Makes the directory for the first write. */
  private void makeDirectory() {
    if (seen) {
      return;
    }
    try {
      Files.createDirectories(directory);
    } catch (IOException e) {
      throw unusable(directory, "write", e);
    }
    seeDirectory();
  }

  private long version(Path file, String line) {
    if (!VERSION_LINE.matcher(line).matches()) {
      throw new StoreException(
          "Store "
              + this
              + " has no version on the first line of "
              + file
              + "; restore the file; only that of a lease may be deleted instead, after a window without use");
    }
    return Long.parseLong(line.strip());
  }

  @Override
  public List<Register> scan(String prefix) {
    List<Register> found = new ArrayList<>();
    if (!seen && !Files.isDirectory(directory)) {
      return found; // nothing was written yet
    }
    seeDirectory();
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(directory, FileName.encode(prefix) + "*" + SUFFIX)) {
      for (Path file : files) {
        registerOf(file).flatMap(name -> readFile(file, name)).ifPresent(found::add);
      }
    } catch (IOException | DirectoryIteratorException e) {
      throw failed("read", directory, e);
    }
    return found;
  }

  /** Returns the name of a file's register; empty if no register has that file. */
  private Optional<String> registerOf(Path file) {
    String encoded = file.getFileName().toString();
    try {
      String name = FileName.decode(encoded.substring(0, encoded.length() - SUFFIX.length()));
      return Optional.of(name).filter(each -> file(each).endsWith(encoded));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    Path file = file(name);
    long version = expectedVersion == 0 ? StoreRandom.firstVersion() : expectedVersion + 1;
    byte[] text = (version + "\n" + Register.requireValue(value)).getBytes(StandardCharsets.UTF_8);
    boolean interrupted = Thread.interrupted(); // a write is short, it is finished first
    try {
      makeDirectory();
      for (int interruptions = 0; ; interruptions++) {
        try {
          return await(() -> trySwap(file, name, expectedVersion, version, text));
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

  /**
   * Returns nothing if another process has the lock. The caller waits for it outside, so that other
   * threads of this process write other registers meanwhile.
   */
  private Optional<WriteResult> trySwap(
      Path file, String name, long expectedVersion, long version, byte[] text) throws IOException {
    Optional<WriteResult> result;
    lockThreads();
    try {
      synchronized (monitor) {
        result = trySwapAlone(file, name, expectedVersion, version, text);
      }
    } finally {
      threads.unlock();
    }
    return result.map(this::forced);
  }

  private Optional<WriteResult> trySwapAlone(
      Path file, String name, long expectedVersion, long version, byte[] text) throws IOException {
    boolean moved = false;
    // Registers of the same hash share a lock, and so do those that share a file without case.
    int hash = name.toLowerCase(Locale.ROOT).hashCode();
    Path fresh = fresh(hash);
    try (FileChannel channel = openLock()) {
      long lockedByte = FIRST_LOCKED_BYTE + Integer.toUnsignedLong(hash);
      if (channel.tryLock(lockedByte, 1, false) == null) {
        return Optional.empty();
      }
      if (readFile(file, name).map(Register::version).orElse(0L) != expectedVersion) {
        return Optional.of(WriteResult.CONFLICT);
      }
      nameHolder(channel);
      writeForced(fresh, text);
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      moved = true;
    } catch (IOException e) {
      if (!moved) {
        throw e;
      }
      return Optional.of(WriteResult.UNKNOWN); // others may have seen it
    }
    return Optional.of(WriteResult.applied(version));
  }

  /** Returns the result of a write after the directory is forced, if the write was applied. */
  private WriteResult forced(WriteResult result) {
    return result.outcome() != WriteResult.Outcome.APPLIED || forceDirectory() || !forcesDirectory
        ? result
        : WriteResult.UNKNOWN;
  }

  /**
   * Returns the new file of a register, which the lock of that register guards: two copies of one
   * running process have the same writer.
   */
  private Path fresh(int hash) {
    return directory.resolve(writer + "-" + Integer.toHexString(hash) + FRESH_SUFFIX);
  }

  /** Writes a text of one length, because writers of other registers write theirs meanwhile. */
  private static void nameHolder(FileChannel channel) throws IOException {
    String text =
        String.format(
            Locale.ROOT,
            "Never delete this file: without it two processes write at once.\nLast writer: pid"
                + " %-20d\n",
            ProcessHandle.current().pid());
    channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)), 0);
    channel.truncate(text.length());
  }

  /** Keeps the other threads of this copy of the class from the lock's file. */
  private void lockThreads() throws IOException {
    try {
      if (!threads.tryLock(MAX_LOCK_WAIT_NANOS, TimeUnit.NANOSECONDS)) {
        throw new IOException(
            "other threads of this process have the lock for "
                + TimeUnit.NANOSECONDS.toMillis(MAX_LOCK_WAIT_NANOS)
                + " ms");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClosedByInterruptException();
    }
  }

  private interface Attempt<T> {
    Optional<T> make() throws IOException;
  }

  /**
   * Waits for other processes, for a limited time: a process that is stopped in a write keeps the
   * lock.
   */
  private static <T> T await(Attempt<T> attempt) throws IOException {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    for (Optional<T> result = attempt.make(); ; result = attempt.make()) {
      if (result.isPresent()) {
        return result.get();
      }
      if (time.nanoTime() - begin > MAX_LOCK_WAIT_NANOS) {
        throw new IOException(
            "another process has the lock for "
                + TimeUnit.NANOSECONDS.toMillis(MAX_LOCK_WAIT_NANOS)
                + " ms; end it, or continue it if it is stopped");
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
    boolean interrupted = Thread.interrupted(); // it would close the channel
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
      forcesDirectory = true;
      return true;
    } catch (IOException e) {
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
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
    if (Files.notExists(directory)) {
      return new StoreException(
          "Store "
              + this
              + " has lost its directory; restore it with all of its files, and create no empty one",
          e);
    }
    return new StoreException(
        "Store " + this + " could not " + verb + " " + file.getFileName() + ": " + reason(e), e);
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "file:" + directory;
  }
}
