package io.firn.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Faults of processes that share a directory, and of the directory. */
final class FileStoreFaults {

  private FileStoreFaults() {}

  private abstract static class FileStore implements Scenario {

    final Path directory;

    FileStore(Path directory) {
      this.directory = directory;
    }

    @Override
    public final String store() {
      return "file:" + directory.resolve("store");
    }

    @Override
    public final void close() {}
  }

  /** Processes are stopped past their fence, and continue. */
  static final class Stopped extends FileStore {

    private static final int STOPS = 3;

    Stopped(Path directory) {
      super(directory);
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      for (int i = 0; i < STOPS; i++) {
        stage.awaitShare(0.1 + 0.25 * i);
        fleet.signal(i, "STOP");
        stage.awaitShare(0.1 + 0.25 * i + 1.5 * windowShare());
        fleet.signal(i, "CONT");
      }
      stage.awaitShare(1);
    }
  }

  /** Each process is killed, and another takes its place. */
  static final class Replaced extends FileStore {

    Replaced(Path directory) {
      super(directory);
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      for (int i = 0; i < fleet.size(); i++) {
        stage.awaitShare((double) i / fleet.size());
        fleet.replace(i);
      }
      stage.awaitShare(1);
    }
  }

  /** The directory is deleted under running processes, and new ones make it again. */
  static final class Deleted extends FileStore {

    Deleted(Path directory) {
      super(directory);
    }

    @Override
    public boolean isCrowded() {
      return true;
    }

    @Override
    public void play(Stage stage, Fleet fleet) {
      stage.awaitShare(0.5);
      try {
        Files.move(directory.resolve("store"), directory.resolve("gone"));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      fleet.launch(fleet.size());
      stage.awaitShare(1);
    }
  }
}
