package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.Namespace;
import io.firn.testkit.LogLines;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class FileRegisterStoreFaultsTest {

  @TempDir Path directory;

  @Test
  void killedWriterLeavesTheOldValueOrTheNewOne() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    long kills = 0;
    for (int round = 0; round < 6; round++) {
      long acknowledged = 0;
      try (ChildJvm child =
          ChildJvm.start(WritingProcess.class, directory, "a", 1_000_000, 20_000)) {
        int writes = 5 + 13 * round;
        for (int i = 0; i < writes; i++) {
          acknowledged = Long.parseLong(child.lineThatBegins("wrote ").substring(6));
        }
        child.kill9();
        kills++;
        for (String line = child.line(); line != null; line = child.line()) {
          if (line.matches("wrote [0-9]+")) { // the last may be cut short, then it says less
            acknowledged = Math.max(acknowledged, Long.parseLong(line.substring(6)));
          }
        }
      }

      Register register = store.read("a").orElseThrow();
      assertThat(register.version()).isGreaterThanOrEqualTo(acknowledged);
      assertThat(register.value()).isEqualTo(WritingProcess.value(register.version(), 20_000));
      assertThat(store.compareAndSet("a", register.version(), register.value()).outcome())
          .isEqualTo(WriteResult.Outcome.APPLIED);
      // Its version moved on by one: keep values and versions together for the next round.
      store.compareAndSet(
          "a", register.version() + 1, WritingProcess.value(register.version() + 2, 20_000));
    }
    assertThat(kills).isEqualTo(6);
  }

  @Test
  void leftOverOfAKilledWriterIsNoRegister() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    long first = store.compareAndSet("a", 0, "one").version();
    Path left = Files.writeString(directory.resolve("next-7-abc.tmp"), "7\nhalf a va");

    assertThat(store.scan("")).containsExactly(new Register("a", first, "one"));
    assertThat(store.compareAndSet("a", first, "two")).isEqualTo(WriteResult.applied(first + 1));
    assertThat(store.read("a")).contains(new Register("a", first + 1, "two"));
    FileRegisterStore.open(directory);
    assertThat(left).doesNotExist();
  }

  @Test
  void registerThatLooksLikeALeftOverIsNone() {
    FileRegisterStore store = FileRegisterStore.open(directory);
    long version = store.compareAndSet("next-7.tmp", 0, "one").version();
    assertThat(FileRegisterStore.open(directory).read("next-7.tmp"))
        .contains(new Register("next-7.tmp", version, "one"));
  }

  @Test
  void versionsOfARegisterThatWasDeletedDoNotComeAgain() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    long before = store.compareAndSet("a", 0, "one").version();
    Files.delete(directory.resolve("a.register"));
    assertThat(store.compareAndSet("a", 0, "two").version()).isNotEqualTo(before);
    assertThat(store.compareAndSet("a", before, "three")).isEqualTo(WriteResult.CONFLICT);
  }

  @Test
  void lockNamesItsHolderAndSaysThatItMustStay() throws Exception {
    FileRegisterStore.open(directory).compareAndSet("a", 0, "one");
    assertThat(Files.readString(directory.resolve("lock")).strip())
        .isEqualTo(
            "Never delete this file: without it two processes write at once.\nLast writer: pid "
                + ProcessHandle.current().pid());
  }

  @Test
  void interruptedThreadOpensTheStoreAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    FileRegisterStore store = FileRegisterStore.open(directory);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.compareAndSet("a", 0, "one").outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
  }

  @Test
  void namesTheFileOfARegisterThatIsNone() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    Path file = directory.toRealPath().resolve("orders+worker+3.register");
    for (String text :
        List.of(
            "",
            "\n",
            "1",
            "x\nvalue",
            "0\nvalue",
            "-1\nvalue",
            "1 \nvalue",
            "1\r\nvalue",
            "1234567890123456789\nvalue")) {
      Files.writeString(file, text);
      String expected =
          "Store file:"
              + directory.toRealPath()
              + " has no version on the first line of "
              + file
              + "; restore the file; only that of a lease may be deleted instead, after a window without use";

      assertThatThrownBy(() -> store.read("orders/worker/3"))
          .isInstanceOf(StoreException.class)
          .hasMessage(expected);
      assertThatThrownBy(() -> store.scan("orders/")).hasMessage(expected);
      assertThatThrownBy(() -> store.compareAndSet("orders/worker/3", 0, "x")).hasMessage(expected);
      assertThat(Files.readString(file)).isEqualTo(text);
    }
  }

  @Test
  void namesTheFileOfARegisterThatIsNoText() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    Files.write(directory.resolve("a.register"), new byte[] {'1', '\n', (byte) 0xff});

    assertThatThrownBy(() -> store.read("a"))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith(
            "Store file:" + directory.toRealPath() + " could not read a.register: ");
  }

  @Test
  void fullDiskIsAClearErrorAndLosesNothing() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    long first = store.compareAndSet("a", 0, "one").version();
    try (ChildJvm child =
        ChildJvm.startWithFileLimit(8, WritingProcess.class, directory, "a", 1, 60_000)) {
      assertThat(child.lineThatBegins("failed "))
          .startsWith(
              "failed Store file:" + directory.toRealPath() + " could not write a.register: ");
    }

    assertThat(store.read("a")).contains(new Register("a", first, "one"));
    assertThat(store.scan("")).hasSize(1);
    assertThat(store.compareAndSet("a", first, "two")).isEqualTo(WriteResult.applied(first + 1));
  }

  @Test
  void smallRecordsAreWrittenUnderTheLimitOfTheFullDiskTest() throws Exception {
    try (ChildJvm child =
        ChildJvm.startWithFileLimit(8, WritingProcess.class, directory, "a", 3, 100)) {
      assertThat(child.lineThatBegins("done")).isEqualTo("done 3");
    }
  }

  @Test
  void processesThreadsAndOpeningsOfOneDirectoryLoseNoWrite() throws Exception {
    int writes = 400;
    FileRegisterStore first = FileRegisterStore.open(directory);
    long begin = first.compareAndSet("a", 0, "x").version();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicBoolean stop = new AtomicBoolean();
    Thread opener = // closes the lock's file, which must not free the lock of the writers
        thread(
            failure,
            () -> {
              while (!stop.get()) {
                FileRegisterStore.open(directory).close();
              }
            });
    List<Thread> writers =
        List.of(
            thread(failure, () -> count(first, writes)),
            thread(failure, () -> count(FileRegisterStore.open(directory), writes)));
    opener.start();
    try (ChildJvm one = ChildJvm.start(WritingProcess.class, directory, "a", writes, 100);
        ChildJvm two = ChildJvm.start(WritingProcess.class, directory, "a", writes, 100)) {
      writers.forEach(Thread::start);
      assertThat(one.lineThatBegins("done")).isEqualTo("done " + writes);
      assertThat(two.lineThatBegins("done")).isEqualTo("done " + writes);
    }
    for (Thread writer : writers) {
      writer.join();
    }
    stop.set(true);
    opener.join();

    assertThat(failure.get()).isNull();
    assertThat(first.read("a").orElseThrow().version()).isEqualTo(begin + 4L * writes);
  }

  private static void count(RegisterStore store, int writes) {
    for (int applied = 0; applied < writes; ) {
      long version = store.read("a").map(Register::version).orElse(0L);
      if (store.compareAndSet("a", version, "x").outcome() == WriteResult.Outcome.APPLIED) {
        applied++;
      }
    }
  }

  private interface Action {
    void run() throws Exception;
  }

  private static Thread thread(AtomicReference<Throwable> failure, Action action) {
    return new Thread(
        () -> {
          try {
            action.run();
          } catch (InvocationTargetException e) {
            failure.set(e.getCause());
          } catch (Throwable e) {
            failure.set(e);
          }
        });
  }

  @Test
  void twoCopiesOfFirnInOneJvmShareADirectory() throws Exception {
    FileRegisterStore ours = FileRegisterStore.open(directory);
    long a = ours.compareAndSet("a", 0, "x").version();
    long b = ours.compareAndSet("b", 0, "x").version();
    URL classes = FileRegisterStore.class.getProtectionDomain().getCodeSource().getLocation();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
      Class<?> other = loader.loadClass(FileRegisterStore.class.getName());
      assertThat(other).isNotEqualTo(FileRegisterStore.class);
      Object theirs = other.getMethod("open", Path.class).invoke(null, directory);
      var write = other.getMethod("compareAndSet", String.class, long.class, String.class);
      Thread their =
          thread(
              failure,
              () -> {
                for (int i = 0; i < 300; i++) {
                  write.invoke(theirs, "b", b + i, "x");
                }
              });
      their.start();
      count(ours, 300);
      their.join();
    }

    assertThat(failure.get()).isNull();
    assertThat(ours.read("a").orElseThrow().version()).isEqualTo(a + 300);
    assertThat(ours.read("b").orElseThrow().version()).isEqualTo(b + 300);
  }

  /** As a test framework restores them, from a copy that was made during a write. */
  @Test
  void systemPropertiesThatAreRestoredAfterAWriteBlockNoOtherWrite() {
    WatchedFileSystem disk = new WatchedFileSystem();
    FileRegisterStore store = FileRegisterStore.open(disk.path(directory));
    AtomicReference<Object> copy = new AtomicReference<>();
    disk.script(
        step -> {
          if (step.startsWith("move")) {
            copy.set(System.getProperties().clone());
          }
        });
    Properties properties = System.getProperties();
    long version = store.compareAndSet("a", 0, "x").version();
    System.setProperties((Properties) copy.get());
    try {
      assertThat(store.compareAndSet("a", version, "y").outcome())
          .isEqualTo(WriteResult.Outcome.APPLIED);
    } finally {
      System.setProperties(properties);
    }
  }

  /** A write that hangs before its file is moved, and goes on when it is told to. */
  private record HangingMove(CountDownLatch hangs, CountDownLatch goesOn) {

    static HangingMove of(WatchedFileSystem disk) {
      HangingMove move = new HangingMove(new CountDownLatch(1), new CountDownLatch(1));
      disk.script(
          step -> {
            if (step.startsWith("move")) {
              move.hangs.countDown();
              move.goesOn.await();
            }
          });
      return move;
    }
  }

  @Test
  @Timeout(60)
  void systemPropertiesThatAreRestoredDuringAWriteLetNoOtherCopyOfFirnIn() throws Exception {
    WatchedFileSystem disk = new WatchedFileSystem();
    FileRegisterStore ours = FileRegisterStore.open(disk.path(directory));
    HangingMove move = HangingMove.of(disk);
    URL classes = FileRegisterStore.class.getProtectionDomain().getCodeSource().getLocation();
    Properties properties = System.getProperties();
    Properties copy = (Properties) properties.clone();
    FutureTask<WriteResult> write = new FutureTask<>(() -> ours.compareAndSet("a", 0, "x"));
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {classes}, ClassLoader.getPlatformClassLoader())) {
      Class<?> other = loader.loadClass(FileRegisterStore.class.getName());
      Object theirs = other.getMethod("open", Path.class).invoke(null, directory);
      var compareAndSet = other.getMethod("compareAndSet", String.class, long.class, String.class);
      FutureTask<Object> theirWrite =
          new FutureTask<>(() -> compareAndSet.invoke(theirs, "b", 0L, "x"));
      new Thread(write).start();
      move.hangs.await();
      System.setProperties(copy);
      new Thread(theirWrite).start();
      assertThatThrownBy(() -> theirWrite.get(500, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      move.goesOn.countDown();
      assertThat(theirWrite.get().toString()).contains("APPLIED");
    } finally {
      move.goesOn.countDown();
      System.setProperties(properties);
    }
    assertThat(write.get().outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
  }

  @Test
  void lockThatAnotherHoldsForLongIsAClearError() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    try (ChildJvm holder = ChildJvm.start(LockingProcess.class, directory.resolve("lock"))) {
      holder.lineThatBegins("locked");

      assertThatThrownBy(() -> store.compareAndSet("a", 0, "x"))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "Store file:"
                  + directory.toRealPath()
                  + " could not write a.register: another process has the"
                  + " lock for 5000 ms; end it, or continue it if it is stopped");
      assertThat(store.read("a")).isEmpty();
    }
    assertThat(store.compareAndSet("a", 0, "x").outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
  }

  @Test
  @Timeout(60)
  void opensAtOnceWhileAWriteOfThisProcessHangs() throws Exception {
    WatchedFileSystem disk = new WatchedFileSystem();
    Path watched = disk.path(directory);
    FileRegisterStore store = FileRegisterStore.open(watched);
    HangingMove move = HangingMove.of(disk);
    FutureTask<WriteResult> write = new FutureTask<>(() -> store.compareAndSet("a", 0, "x"));
    new Thread(write).start();
    try {
      move.hangs.await();
      assertThat(FileRegisterStore.open(watched).read("a")).isEmpty();
      assertThat(write.isDone()).isFalse();
    } finally {
      move.goesOn.countDown();
    }
    assertThat(write.get().outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
  }

  @Test
  void errorOfOneWriteLeavesTheLockToTheNext() throws Exception {
    WatchedFileSystem disk = new WatchedFileSystem();
    FileRegisterStore store = FileRegisterStore.open(disk.path(directory));
    disk.script(
        step -> {
          throw new OutOfMemoryError("planted");
        });
    assertThatThrownBy(() -> store.compareAndSet("a", 0, "x")).isInstanceOf(OutOfMemoryError.class);
    disk.script(step -> {});

    FutureTask<WriteResult> next = new FutureTask<>(() -> store.compareAndSet("a", 0, "x"));
    new Thread(next).start();
    assertThat(next.get().outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
  }

  /** A process that is stopped in a write has the lock of its register, and of no other one. */
  @Test
  @Timeout(120)
  void processThatHangsInAWriteDelaysNoOtherRegister() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    long version = store.compareAndSet("a", 0, "x").version();
    try (ChildJvm child = ChildJvm.start(HangingProcess.class, directory)) {
      child.lineThatBegins("hangs");

      assertThat(store.compareAndSet("b", 0, "x").outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
      FileRegisterStore.open(directory).close(); // leaves the file that the other one writes
      FutureTask<WriteResult> waits =
          new FutureTask<>(() -> store.compareAndSet("a", version, "y"));
      new Thread(waits).start();
      long longest = longestWriteUntil(waits, store, "b");
      assertThatThrownBy(waits::get)
          .hasCauseInstanceOf(StoreException.class)
          .hasMessageContaining(
              "another process has the lock for 5000 ms; end it, or continue it if it is stopped");
      assertThat(TimeUnit.NANOSECONDS.toMillis(longest)).isLessThan(3_000);

      child.send("go on");
      assertThat(child.lineThatBegins("wrote")).isEqualTo("wrote " + (version + 1));
    }
    assertThat(store.compareAndSet("a", version + 1, "y").outcome())
        .isEqualTo(WriteResult.Outcome.APPLIED);
  }

  /** They have one file where the file system ignores case. */
  @Test
  @Timeout(120)
  void registersWhoseNamesDifferInCaseOnlyAreWrittenOneAfterTheOther() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    store.compareAndSet("a", 0, "x");
    try (ChildJvm child = ChildJvm.start(HangingProcess.class, directory)) {
      child.lineThatBegins("hangs");
      FutureTask<WriteResult> waits = new FutureTask<>(() -> store.compareAndSet("A", 0, "y"));
      new Thread(waits).start();

      assertThatThrownBy(() -> waits.get(1, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);
      child.send("go on");
      child.lineThatBegins("wrote");
      assertThat(waits.get().outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
    }
  }

  /** Writes a register until another write has ended, and returns how long the slowest took. */
  private static long longestWriteUntil(Future<?> other, RegisterStore store, String name) {
    long longest = 0;
    do {
      long begin = System.nanoTime();
      long version = store.read(name).orElseThrow().version();
      assertThat(store.compareAndSet(name, version, "x").outcome())
          .isEqualTo(WriteResult.Outcome.APPLIED);
      longest = Math.max(longest, System.nanoTime() - begin);
    } while (!other.isDone());
    return longest;
  }

  /** Writes the register a, and hangs before its file is moved. */
  static final class HangingProcess {
    public static void main(String[] arguments) {
      WatchedFileSystem disk = new WatchedFileSystem();
      FileRegisterStore store = FileRegisterStore.open(disk.path(Path.of(arguments[0])));
      disk.script(
          step -> {
            if (step.startsWith("move")) {
              System.out.println("hangs");
              System.in.read();
            }
          });
      long version = store.read("a").orElseThrow().version();
      System.out.println("wrote " + store.compareAndSet("a", version, "z").version());
    }
  }

  /** Takes a lock and keeps it. */
  static final class LockingProcess {
    public static void main(String[] arguments) throws Exception {
      try (FileChannel channel =
              FileChannel.open(
                  Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
          FileLock lock = channel.lock()) {
        System.out.println("locked " + lock);
        System.in.read();
      }
    }
  }

  @Test
  void interruptedThreadWritesAndStaysInterrupted() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    Thread.currentThread().interrupt();

    WriteResult result = store.compareAndSet("a", 0, "x");

    assertThat(Thread.interrupted()).isTrue();
    assertThat(result.outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
    assertThat(store.read("a")).contains(new Register("a", result.version(), "x"));
  }

  @Test
  void interruptedThreadThatSeesTheDirectoryFirstForcesItToTheDisk() {
    Path home = directory.resolve("store");
    FileRegisterStore store = FileRegisterStore.open(home);
    FileRegisterStore.open(home).compareAndSet("a", 0, "x");
    try (LogLines log = new LogLines(FileRegisterStore.class.getName())) {
      Thread.currentThread().interrupt();

      assertThat(store.read("a").map(Register::value)).contains("x");

      assertThat(Thread.interrupted()).isTrue();
      assertThat(log.messages()).isEmpty();
    }
  }

  @Test
  void interruptsAtAnyMomentLoseNoWriteAndApplyNoneTwice() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    long begin = store.compareAndSet("a", 0, "x").version();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    AtomicInteger applied = new AtomicInteger();
    AtomicInteger unknown = new AtomicInteger();
    AtomicInteger refused = new AtomicInteger();
    Thread writer =
        thread(
            failure,
            () -> {
              for (int i = 0; i < 400 || applied.get() == 0; i++) { // none, on a busy machine
                long version = store.read("a").map(Register::version).orElse(0L);
                try {
                  switch (store.compareAndSet("a", version, "x").outcome()) {
                    case APPLIED -> applied.incrementAndGet();
                    case UNKNOWN -> unknown.incrementAndGet();
                    case CONFLICT -> throw new AssertionError("nobody else writes");
                  }
                } catch (StoreException e) {
                  refused.incrementAndGet();
                }
              }
            });
    writer.start();
    for (int i = 0; writer.isAlive(); i++) {
      writer.interrupt();
      Thread.sleep(1 + i % 10);
    }

    assertThat(failure.get()).isNull();
    assertThat(store.read("a").orElseThrow().version())
        .isBetween(begin + applied.get(), begin + applied.get() + unknown.get());
    assertThat(unknown.get() + refused.get()).isPositive();
  }

  @Test
  void generatorClosedByAnInterruptedThreadIsReleased() {
    FileRegisterStore store = FileRegisterStore.open(directory);
    Snowflake snowflake = Snowflake.builder().lease(store, "orders").build();
    Thread.currentThread().interrupt();

    snowflake.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(Namespace.of(store, "orders").workers())
        .allSatisfy(worker -> assertThat(worker.held()).isFalse());
  }

  @Test
  void filesAreNamedSoThatPeopleCanReadThem() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    for (String name : List.of("orders/worker/7", "../up", "a b", "ä", "a+b", "100%", ".")) {
      store.compareAndSet(name, 0, "v");
    }

    try (Stream<Path> files = Files.list(directory)) {
      Set<String> names =
          files.map(path -> path.getFileName().toString()).collect(Collectors.toSet());
      assertThat(names)
          .containsExactlyInAnyOrder(
              "lock",
              "orders+worker+7.register",
              "..+up.register",
              "a%20b.register",
              "%C3%A4.register",
              "a%2Bb.register",
              "100%25.register",
              "..register");
    }
    assertThat(Files.readString(directory.resolve("orders+worker+7.register")))
        .matches("[0-9]{16}\nv");
  }

  @Test
  void filesThatNoRegisterHasAreIgnored() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    long version = store.compareAndSet("a/b", 0, "v").version();
    for (String name :
        List.of(
            ".register",
            "%.register",
            "%4.register",
            "a%zz.register",
            "%41.register",
            "%c3%a4.register",
            "%FF.register",
            "a+b (2).register",
            "copy of a+b.register",
            "ä.register",
            "a".repeat(232) + ".register")) {
      Files.writeString(directory.resolve(name), "7\nx");

      assertThat(store.scan("")).as(name).containsExactly(new Register("a/b", version, "v"));
    }
  }

  @Test
  void nameThatIsTooLongForAFileIsRefusedInWords() {
    FileRegisterStore store = FileRegisterStore.open(directory);
    String longest = "ä".repeat(38) + "abc"; // 6 bytes each, and ".register"

    assertThatCode(() -> store.compareAndSet(longest, 0, "x")).doesNotThrowAnyException();
    assertThatThrownBy(() -> store.compareAndSet(longest + "d", 0, "x"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "name: " + longest + "d (expected: at most 240 bytes as a file name, it takes 241)");
  }
}
