package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.WriteResult.Outcome;
import io.firn.testkit.LogLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The steps by which a write gets to the disk, each of them failing once. */
class FileRegisterStoreDiskTest {

  private final WatchedFileSystem disk = new WatchedFileSystem();

  @TempDir Path directory;

  private String name;

  @BeforeEach
  void nameTheDirectory() {
    name = directory.getFileName().toString();
  }

  private FileRegisterStore open() {
    FileRegisterStore store = FileRegisterStore.open(disk.path(directory));
    disk.takeSteps();
    return store;
  }

  private static WatchedFileSystem.Step failingAt(String step) {
    return next -> {
      if (next.startsWith(step)) {
        throw new IOException("the disk failed");
      }
    };
  }

  @Test
  void writeIsForcedThenMovedThenItsDirectoryIsForced() {
    FileRegisterStore store = open();

    assertThat(store.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);

    assertThat(disk.takeSteps().stream().map(step -> step.replaceAll("next-[^ ]*", "NEXT")))
        .containsExactly(
            "force NEXT",
            "close NEXT",
            "move NEXT to a.register [ATOMIC_MOVE, REPLACE_EXISTING]",
            "close lock",
            "force " + name,
            "close " + name);
  }

  /** Two copies of one running process exclude each other by the lock of a register only. */
  @Test
  void registersAreWrittenToFilesOfTheirOwn() {
    FileRegisterStore store = open();
    for (String register : List.of("a", "b")) {
      assertThat(store.compareAndSet(register, 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
    }
    assertThat(disk.takeSteps().stream().filter(step -> step.startsWith("force next-")))
        .hasSize(2)
        .doesNotHaveDuplicates();
  }

  @Test
  void directoryThatMayNotBeReadIsNamedWhenItIsOpened() {
    disk.script(failingAt("access " + name));
    assertThatThrownBy(() -> FileRegisterStore.openExisting(disk.path(directory)))
        .isInstanceOf(StoreException.class)
        .hasMessageEndingWith("; give the process a directory that it may read");
    assertThat(disk.takeSteps()).isEmpty();
  }

  @Test
  void failureBeforeTheMoveIsCertainlyNotApplied() {
    FileRegisterStore store = open();
    long version = store.compareAndSet("a", 0, "x").version();
    for (String step : List.of("force next-", "close next-", "move next-")) {
      disk.script(failingAt(step));
      assertThatThrownBy(() -> store.compareAndSet("a", version, "y"))
          .as(step)
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("the disk failed");
      assertThat(store.read("a")).contains(new Register("a", version, "x"));
    }
    disk.script(step -> {});
    assertThat(store.compareAndSet("a", version, "y").outcome()).isEqualTo(Outcome.APPLIED);
  }

  @Test
  void failureAfterTheMoveIsUnknown() {
    FileRegisterStore store = open();
    long version = store.compareAndSet("a", 0, "x").version();
    for (String step : List.of("close lock", "force " + name, "close " + name)) {
      disk.script(failingAt(step));
      assertThat(store.compareAndSet("a", version, "y")).as(step).isEqualTo(WriteResult.UNKNOWN);
      disk.script(next -> {});
      assertThat(store.read("a").map(Register::value)).as(step).contains("y");
      version = store.compareAndSet("a", version + 1, "x").version();
    }
  }

  @Test
  void directoryThatCannotBeForcedIsSaidOnceAndItsWritesCount() {
    try (LogLines log = new LogLines(FileRegisterStore.class.getName())) {
      disk.script(failingAt("force " + name));
      FileRegisterStore store = open();
      long version = store.compareAndSet("a", 0, "x").version();
      assertThat(store.compareAndSet("a", version, "y").outcome()).isEqualTo(Outcome.APPLIED);
      assertThat(log.messages())
          .containsExactly(
              "store: "
                  + store
                  + " cannot force its directory to the disk: an acknowledged write may be lost"
                  + " when the power fails");
    }
  }

  /** As when the process had no file descriptor left while it opened the store. */
  @Test
  void directoryThatCouldBeForcedOnceMustBeForcedFromThenOn() {
    disk.script(failingAt("force " + name));
    FileRegisterStore store = open();
    disk.script(step -> {});
    long version = store.compareAndSet("a", 0, "x").version();
    disk.script(failingAt("force " + name));
    assertThat(store.compareAndSet("a", version, "y")).isEqualTo(WriteResult.UNKNOWN);
  }

  @Test
  @Timeout(120)
  void threadThatHangsInAWriteDelaysAnotherForAWhileOnly() throws Exception {
    FileRegisterStore store = open();
    CountDownLatch hangs = new CountDownLatch(1);
    CountDownLatch goesOn = new CountDownLatch(1);
    disk.script(
        step -> {
          hangs.countDown();
          goesOn.await();
        });
    AtomicReference<WriteResult> written = new AtomicReference<>();
    Thread thread = new Thread(() -> written.set(store.compareAndSet("a", 0, "x")));
    thread.start();
    hangs.await();

    assertThatThrownBy(() -> store.compareAndSet("b", 0, "x"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("other threads of this process have the lock for 5000 ms");

    goesOn.countDown();
    thread.join();
    assertThat(written.get().outcome()).isEqualTo(Outcome.APPLIED);
    disk.script(step -> {});
    assertThat(store.compareAndSet("b", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
  }
}
