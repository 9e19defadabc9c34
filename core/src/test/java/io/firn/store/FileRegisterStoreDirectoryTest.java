package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The directory of a file store: made, missing, linked, and not to be written. */
class FileRegisterStoreDirectoryTest {

  @TempDir Path directory;

  @Test
  void directoryThatIsGoneIsAFailureAndNoRegisterIsMissing() throws Exception {
    Path home = Files.createDirectory(directory.resolve("store"));
    FileRegisterStore store = FileRegisterStore.open(home);
    store.compareAndSet("a", 0, "one");
    Path elsewhere = Files.move(home, directory.resolve("elsewhere"));

    assertThatThrownBy(() -> store.read("a")).isInstanceOf(StoreException.class);
    assertThatThrownBy(() -> store.read("b")).isInstanceOf(StoreException.class);
    Files.move(elsewhere, home);
    assertThat(store.read("a")).isPresent();
    assertThat(store.read("b")).isEmpty();
  }

  @Test
  void linkToADirectoryIsADirectory() throws Exception {
    Path real = Files.createDirectory(directory.resolve("real"));
    Path link = Files.createSymbolicLink(directory.resolve("link"), real);
    assertThat(FileRegisterStore.open(link).compareAndSet("a", 0, "one").outcome())
        .isEqualTo(WriteResult.Outcome.APPLIED);
    assertThat(real.resolve("a.register")).exists();
  }

  @Test
  void namesTheDirectoryThatCannotBeMade() throws Exception {
    Path file = Files.createFile(directory.resolve("file"));
    Path below = file.resolve("below");
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("nothing"));
    Map<Path, String> reasons =
        Map.of(
            file, file + " is a file",
            below, file + " is a file",
            link, link + " is a link to nothing");
    for (Path path : reasons.keySet()) {
      assertThatThrownBy(() -> FileRegisterStore.open(path))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "Store file:"
                  + path
                  + " has no directory that it can write: "
                  + reasons.get(path)
                  + "; give the process a directory that it may write");
    }
  }

  @Test
  void existingDirectoryIsReadWithoutAFileThatMayBeWritten() throws Exception {
    FileRegisterStore.open(directory).compareAndSet("a", 0, "one");
    Path lock = directory.resolve("lock");
    Files.delete(lock);
    Files.createDirectory(lock);

    FileRegisterStore store = FileRegisterStore.openExisting(directory);
    assertThat(store.read("a").map(Register::value)).contains("one");
    assertThat(store.scan("")).hasSize(1);
  }

  @Test
  void existingDirectoryGetsItsFirstFileWithTheFirstWrite() throws Exception {
    FileRegisterStore store = FileRegisterStore.openExisting(directory);
    assertThat(store.read("a")).isEmpty();
    assertThat(store.scan("")).isEmpty();
    assertThat(directory).isEmptyDirectory();

    assertThat(store.compareAndSet("a", 0, "one").outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
    assertThat(directory.resolve("lock")).exists();
  }

  @Test
  void directoryAndItsLockAreMadeByTheFirstWrite() {
    for (Path path : List.of(directory, directory.resolve("a").resolve("b"))) {
      FileRegisterStore store = FileRegisterStore.open(path);
      assertThat(store.read("a")).isEmpty();
      assertThat(store.scan("")).isEmpty();
      assertThat(directory).isEmptyDirectory();
    }
    FileRegisterStore store = FileRegisterStore.open(directory.resolve("a").resolve("b"));
    assertThat(store.compareAndSet("a", 0, "one").outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
    assertThat(directory.resolve("a").resolve("b").resolve("lock")).exists();
  }

  @Test
  void directoryThatWasSeenOnceIsNotMadeAgain() throws Exception {
    Path seen = directory.resolve("seen");
    List<Function<RegisterStore, Object>> looks =
        List.of(store -> store.read("a"), store -> store.read("b"), store -> store.scan(""));
    for (Function<RegisterStore, Object> look : looks) {
      FileRegisterStore store = FileRegisterStore.open(seen);
      FileRegisterStore.open(seen).compareAndSet("a", 0, "one");
      assertThat(look.apply(store)).isNotNull();
      Path moved = Files.move(seen, directory.resolve("moved"));
      assertThatThrownBy(() -> store.compareAndSet("a", 0, "two"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(" has lost its directory; ");
      assertThat(seen).doesNotExist();
      Files.delete(moved.resolve("a.register"));
      Files.delete(moved.resolve("lock"));
      Files.delete(moved);
    }
  }

  @Test
  void directoryThatCannotBeMadeAnyMoreIsNamedByTheFirstWrite() throws Exception {
    Path path = directory.resolve("late");
    FileRegisterStore store = FileRegisterStore.open(path);
    Files.createFile(path);
    assertThatThrownBy(() -> store.compareAndSet("a", 0, "one"))
        .isInstanceOf(StoreException.class)
        .hasMessage(
            "Store file:"
                + path.toRealPath()
                + " has no directory that it can write: "
                + path.toRealPath()
                + " is a file; give the process a directory that it may write");
  }

  @Test
  void linkToNothingIsRefused() throws Exception {
    Path link = Files.createSymbolicLink(directory.resolve("link"), directory.resolve("none"));
    assertThatThrownBy(() -> FileRegisterStore.open(link))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("has no directory that it can write: " + link);
  }

  @Test
  void directoryThatMayNotBeWrittenIsRefusedBeforeTheFirstWrite() throws Exception {
    Path readOnly = Path.of("/proc/self");
    assumeThat(readOnly).isDirectory().matches(path -> !Files.isWritable(path));
    for (Path path : List.of(readOnly, readOnly.resolve("a").resolve("b"))) {
      assertThatThrownBy(() -> FileRegisterStore.open(path))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("Store file:" + path + " has no directory that it can write: ")
          .hasMessageEndingWith("; give the process a directory that it may write");
    }
  }

  @Test
  void directoryThatIsNotThereIsNotMadeAsAnExistingOne() throws Exception {
    for (Path path : List.of(directory.resolve("gone"), Files.createFile(directory.resolve("f")))) {
      assertThatThrownBy(() -> FileRegisterStore.openExisting(path))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("Store file:" + path + " has no directory that it can read: ")
          .hasMessageEndingWith("; give the process a directory that it may read");
    }
    assertThat(directory.resolve("gone")).doesNotExist();
  }

  @Test
  void writeThatTheDirectoryDoesNotTakeIsAClearErrorAndLosesNothing() throws Exception {
    FileRegisterStore store = FileRegisterStore.open(directory);
    long first = store.compareAndSet("a", 0, "one").version();
    Path lock = directory.resolve("lock");
    Files.delete(lock);
    Path obstacle = Files.createDirectory(lock);

    assertThatThrownBy(() -> store.compareAndSet("a", first, "two"))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith(
            "Store file:" + directory.toRealPath() + " could not write a.register: ");
    assertThat(store.read("a")).contains(new Register("a", first, "one"));

    Files.delete(obstacle);
    assertThat(store.compareAndSet("a", first, "two")).isEqualTo(WriteResult.applied(first + 1));
  }

  @Test
  void directoryThatIsGoneIsAClearError() throws Exception {
    Path gone = directory.resolve("gone");
    FileRegisterStore store = FileRegisterStore.open(Files.createDirectory(gone));
    Files.delete(gone);

    List<ThrowingCallable> calls =
        List.of(
            () -> store.compareAndSet("a", 0, "x"), () -> store.read("a"), () -> store.scan(""));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call)
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "Store file:"
                  + directory.toRealPath().resolve("gone")
                  + " has lost its directory; restore it with all of its files, and create no"
                  + " empty one");
    }
  }

  @Test
  void opensTheDirectoryThatIsMissing() throws Exception {
    Path deep = directory.resolve("a").resolve("b");
    List<RegisterStore> two = new ArrayList<>();
    two.add(FileRegisterStore.open(deep));
    two.add(FileRegisterStore.open(deep.resolve("..").resolve("b")));

    long version = two.get(0).compareAndSet("a", 0, "x").version();
    two.add(FileRegisterStore.open(Files.createSymbolicLink(directory.resolve("link"), deep)));
    for (RegisterStore other : two) {
      assertThat(other.read("a")).contains(new Register("a", version, "x"));
      assertThat(other).hasToString("file:" + deep.toRealPath());
    }
  }
}
