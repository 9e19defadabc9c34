package io.firn.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.function.ForeachPartitionFunction;
import org.apache.spark.sql.Row;

/**
 * A sink that keeps every row of every attempt, also of those that fail: a file for each, with keys
 * and IDs. The columns are key and id.
 */
final class Journal implements ForeachPartitionFunction<Row> {

  private static final long serialVersionUID = 1L;

  /** A failure that happens once, after half of the rows of partition 0. */
  enum Fault {
    NONE,
    /** The task fails. */
    FAILURE,
    /** The executor ends, and with it the output of the tasks that it ran before. */
    HALT,
    /** The task waits until another attempt of it has ended. */
    STRAGGLER
  }

  private final String directory;
  private final Fault fault;
  private final int halfOfPartition;

  Journal(Path directory, Fault fault, int halfOfPartition) {
    this.directory = directory.toString();
    this.fault = fault;
    this.halfOfPartition = halfOfPartition;
  }

  @Override
  public void call(Iterator<Row> rows) throws Exception {
    TaskContext task = TaskContext.get();
    Path file =
        Path.of(
            directory, task.partitionId() + "-" + task.attemptNumber() + "-" + UUID.randomUUID());
    if (fault == Fault.STRAGGLER && task.partitionId() == 0 && task.attemptNumber() > 0) {
      await("fault");
    }
    int row = 0;
    try (Writer writer = Files.newBufferedWriter(file)) {
      while (rows.hasNext()) {
        Row next = rows.next();
        writer.write(next.<Long>getAs("key") + " " + next.<Long>getAs("id") + "\n");
        if (++row == halfOfPartition && task.partitionId() == 0 && task.attemptNumber() == 0) {
          writer.flush();
          goWrong();
        }
      }
    }
    if (task.attemptNumber() > 0) {
      Files.writeString(Path.of(directory, "ended"), "");
    }
  }

  private void goWrong() throws Exception {
    Path once = Path.of(directory, "fault");
    if (fault == Fault.NONE || Files.exists(once)) {
      return;
    }
    Files.createFile(once);
    switch (fault) {
      case FAILURE -> throw new IllegalStateException("planned");
      case HALT -> Runtime.getRuntime().halt(1);
      default -> await("ended");
    }
  }

  private void await(String file) throws InterruptedException {
    for (int i = 0; i < 2400 && !Files.exists(Path.of(directory, file)); i++) {
      Thread.sleep(50);
    }
  }

  /** One row of one attempt. */
  record Entry(long key, long id) {}

  static List<Entry> read(Path directory) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (Stream<Path> files = Files.list(directory)) {
      files
          .filter(file -> file.getFileName().toString().contains("-"))
          .flatMap(Journal::lines)
          .filter(line -> line.matches("\\d+ \\d+"))
          .map(line -> line.split(" "))
          .forEach(
              words -> entries.add(new Entry(Long.parseLong(words[0]), Long.parseLong(words[1]))));
    }
    return entries;
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readString(file).lines();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static int attempts(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return (int) files.filter(file -> file.getFileName().toString().contains("-")).count();
    }
  }

  /** No ID has two keys, among all attempts of all journals. */
  static void noIdHasTwoRows(Path... directories) throws IOException {
    Map<Long, Long> keys = new HashMap<>();
    for (Path directory : directories) {
      for (Entry entry : read(directory)) {
        Long before = keys.put(entry.id(), entry.key());
        assertThat(before == null || before == entry.key())
            .as("ID %d has the rows %d and %d", entry.id(), before, entry.key())
            .isTrue();
      }
    }
    assertThat(keys).isNotEmpty();
  }

  /** No key has two IDs, and no ID two keys; all keys are there. */
  static void eachRowHasOneId(long rows, Path... directories) throws IOException {
    noIdHasTwoRows(directories);
    Map<Long, Set<Long>> ids = new HashMap<>();
    for (Path directory : directories) {
      read(directory)
          .forEach(
              entry -> ids.computeIfAbsent(entry.key(), key -> new HashSet<>()).add(entry.id()));
    }
    assertThat(ids).hasSize((int) rows);
    assertThat(ids.values()).allSatisfy(each -> assertThat(each).hasSize(1));
  }
}
