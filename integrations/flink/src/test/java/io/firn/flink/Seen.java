package io.firn.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rows with their IDs, {@code id row}, as a job saw them. */
final class Seen {

  /** Everything that left the stamp, also what a failure took back. */
  static final ConcurrentLinkedQueue<String> ALL = new ConcurrentLinkedQueue<>();

  private Seen() {}

  /** Rows that may go at once; others trickle, so that a checkpoint finds its way. */
  private static final Semaphore PERMITS = new Semaphore(0);

  static void reset() {
    ALL.clear();
    PERMITS.drainPermits();
  }

  static void permit(int rows) {
    PERMITS.release(rows);
  }

  /** Stamps a row when it may go. */
  static String slowly(String row, long id) {
    try {
      if (!PERMITS.tryAcquire()) {
        TimeUnit.MILLISECONDS.sleep(20);
      }
      return id + " " + row;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static String keep(String stamped) {
    ALL.add(stamped);
    return stamped;
  }

  static String row(String stamped) {
    return stamped.substring(stamped.indexOf(' ') + 1);
  }

  static String id(String stamped) {
    return stamped.substring(0, stamped.indexOf(' '));
  }

  static Map<String, Set<String>> idsByRow(Collection<String> stamped) {
    return by(stamped, Seen::row, Seen::id);
  }

  private static Map<String, Set<String>> by(
      Collection<String> stamped, Function<String, String> key, Function<String, String> value) {
    return stamped.stream()
        .collect(Collectors.groupingBy(key, Collectors.mapping(value, Collectors.toSet())));
  }

  static void noIdHasTwoRows(Collection<String> stamped) {
    assertThat(by(stamped, Seen::id, Seen::row).values()).allMatch(rows -> rows.size() == 1);
  }

  static void noRowHasTwoIds(Collection<String> stamped) {
    assertThat(idsByRow(stamped).values()).allMatch(ids -> ids.size() == 1);
  }

  /** Returns the lines of the files that a sink committed; it may be renaming others meanwhile. */
  static List<String> committed(Path folder) {
    List<Path> files = new ArrayList<>();
    try {
      Files.walkFileTree(
          folder,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              files.add(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
              if (e instanceof NoSuchFileException) { // it was renamed after it was listed
                return FileVisitResult.CONTINUE;
              }
              throw e;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files.stream()
        .filter(file -> file.getFileName().toString().startsWith("part-"))
        .filter(file -> !file.getFileName().toString().contains("inprogress"))
        .flatMap(Seen::lines)
        .toList();
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
