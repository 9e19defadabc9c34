package io.firn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.firn.testkit.IdHistory.Report;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class IdHistoryTest {

  private static final long MIB = 1 << 20;

  @TempDir Path parent;

  private Report reportOf(long... ids) {
    try (IdHistory history = new IdHistory(1, MIB, parent)) {
      history.newWriter().add(ids, 0, ids.length);
      return history.finish();
    }
  }

  private Report reportOfLines(String lines) throws IOException {
    try (IdHistory history = new IdHistory(1, MIB, parent)) {
      byte[] bytes = lines.getBytes(StandardCharsets.US_ASCII);
      long read = history.newWriter().addDecimals(new ByteArrayInputStream(bytes));
      Report report = history.finish();
      assertThat(report.count()).isEqualTo(read);
      return report;
    }
  }

  @Test
  void findsNothingInNothing() {
    assertThat(reportOf()).isEqualTo(new Report(0, 0, List.of(), 0));
    try (IdHistory history = new IdHistory(1, MIB, parent)) {
      assertThat(history.finish()).isEqualTo(new Report(0, 0, List.of(), 0));
    }
  }

  @Test
  void findsNothingInGrowingIds() {
    assertThat(reportOf(0, 1, 2, 500, Long.MAX_VALUE, Long.MIN_VALUE, -1))
        .isEqualTo(new Report(7, 0, List.of(), 0));
  }

  @Test
  void countsEveryRepetitionAndNamesEachIdOnce() {
    assertThat(reportOf(5, 5, 5, 7, 9, 9)).isEqualTo(new Report(6, 3, List.of(5L, 9L), 3));
  }

  @Test
  void countsDisorderApartFromDuplicates() {
    assertThat(reportOf(3, 2, 1, 4)).isEqualTo(new Report(4, 0, List.of(), 2));
  }

  @Test
  void distinguishesTheLowestAndTheHighestId() {
    assertThat(reportOf(0, 0)).isEqualTo(new Report(2, 1, List.of(0L), 1));
    assertThat(reportOf(-1, -1)).isEqualTo(new Report(2, 1, List.of(-1L), 1));
    assertThat(reportOf(0, -1, 0)).isEqualTo(new Report(3, 1, List.of(0L), 1));
  }

  @Test
  void namesTheTenLowestOfManyDuplicates() {
    long[] ids = new long[40];
    Arrays.setAll(ids, i -> 100 - i / 2);
    assertThat(reportOf(ids).firstDuplicates())
        .containsExactly(81L, 82L, 83L, 84L, 85L, 86L, 87L, 88L, 89L, 90L);
    assertThat(reportOf(ids).duplicates()).isEqualTo(20);
  }

  @Test
  void findsADuplicateAcrossWriters() {
    try (IdHistory history = new IdHistory(3, 3 * MIB, parent)) {
      for (int offset = 0; offset < 3; offset++) {
        IdHistory.Writer writer = history.newWriter();
        for (long id = offset; id < 600_000; id += 3) {
          writer.add(id);
        }
        if (offset == 1) {
          writer.add(600_000);
        }
        if (offset == 2) {
          writer.add(600_000);
        }
      }
      assertThat(history.finish()).isEqualTo(new Report(600_002, 1, List.of(600_000L), 0));
    }
  }

  @Test
  void agreesWithASetOnRandomIds() {
    record Input(long seed, int count, long range, int writers) {}
    Trials.check(
        "a history against a map",
        Sizes.deep(6, 30),
        random ->
            new Input(
                random.nextLong(),
                random.nextInt(0, 200_000),
                1L << random.nextInt(8, 62),
                random.nextInt(1, 4)),
        input -> {
          Map<Long, Integer> seen = new TreeMap<>();
          long state = input.seed();
          try (IdHistory history = new IdHistory(input.writers(), input.writers() * MIB, parent)) {
            IdHistory.Writer[] writers = new IdHistory.Writer[input.writers()];
            Arrays.setAll(writers, i -> history.newWriter());
            for (int i = 0; i < input.count(); i++) {
              state = state * 6364136223846793005L + 1442695040888963407L;
              long id = (state >>> 1) % input.range();
              seen.merge(id, 1, Integer::sum);
              writers[i % writers.length].add(id);
            }
            Report report = history.finish();
            assertThat(report.count()).isEqualTo(input.count());
            assertThat(report.duplicates()).isEqualTo(input.count() - seen.size());
            assertThat(report.firstDuplicates())
                .isEqualTo(
                    seen.entrySet().stream()
                        .filter(entry -> entry.getValue() > 1)
                        .map(Map.Entry::getKey)
                        .limit(10)
                        .toList());
          }
        });
  }

  @Test
  void mergesMoreRunsThanItHasBuffersFor() {
    try (IdHistory history = new IdHistory(1, MIB, parent)) {
      IdHistory.Writer writer = history.newWriter();
      long count = 3_000_000;
      for (long i = count; i > 0; i--) {
        writer.add(i * 1_000);
      }
      writer.add(2_000_000);
      assertThat(history.finish())
          .isEqualTo(new Report(count + 1, 1, List.of(2_000_000L), count - 1));
    }
  }

  @Test
  void takesNoMoreFilesThanWritersForGrowingIds() throws IOException {
    try (IdHistory history = new IdHistory(1, MIB, parent)) {
      IdHistory.Writer writer = history.newWriter();
      for (long id = 0; id < 1_000_000; id++) {
        writer.add(id << 22);
      }
      history.finish();
      try (var files = Files.walk(parent)) {
        assertThat(files.filter(Files::isRegularFile)).hasSize(1);
      }
    }
  }

  @Test
  void removesItsFiles() throws IOException {
    try (IdHistory history = new IdHistory(2, 2 * MIB, parent)) {
      history.newWriter().add(1);
      history.newWriter();
      try (var files = Files.list(parent)) {
        assertThat(files).hasSize(1);
      }
    }
    try (var files = Files.list(parent)) {
      assertThat(files).isEmpty();
    }
  }

  @Test
  void readsDecimals() throws IOException {
    assertThat(reportOfLines("")).isEqualTo(new Report(0, 0, List.of(), 0));
    assertThat(reportOfLines("1\n2\r\n18446744073709551615"))
        .isEqualTo(new Report(3, 0, List.of(), 0));
    assertThat(reportOfLines("12\n12\n")).isEqualTo(new Report(2, 1, List.of(12L), 1));
    assertThat(reportOfLines("175928847299117063\n".repeat(20_000)))
        .isEqualTo(new Report(20_000, 19_999, List.of(175928847299117063L), 19_999));
  }

  @Test
  void refusesALineThatIsNoDecimal() {
    refusesLines("1\n\n2", "line 2: no digit");
    refusesLines("1\n-2", "line 2: byte 0x2d");
    refusesLines("1\n2 \n", "line 2: byte 0x20");
    refusesLines("\r", "line 1: the end");
    refusesLines("18446744073709551616", "line 1: more than 64 bits");
    refusesLines("99999999999999999999", "line 1: more than 64 bits");
    refusesLines("000000000000000000001", "line 1: more than 64 bits");
  }

  private void refusesLines(String lines, String found) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> reportOfLines(lines))
        .withMessage(found + " (expected: one unsigned decimal of at most 64 bits)");
  }

  @Test
  void limitsTheWriters() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IdHistory(0, MIB, parent))
        .withMessage("maxWriters: 0 (expected: 1..1024)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IdHistory(1025, 1L << 34, parent))
        .withMessage("maxWriters: 1025 (expected: 1..1024)");
    new IdHistory(1024, 1024 * MIB, parent).close();
    try (IdHistory history = new IdHistory(2, 2 * MIB, parent)) {
      history.newWriter();
      history.newWriter();
      assertThatIllegalStateException()
          .isThrownBy(history::newWriter)
          .withMessage("The history has 2 writers already; give it a larger maxWriters");
    }
  }

  @Test
  void limitsTheMemory() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IdHistory(3, 3 * MIB - 1, parent))
        .withMessage("memoryBytes: 3145727 (expected: 3145728..17179869184 for 3 writers)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IdHistory(3, (1L << 34) + 1, parent))
        .withMessage("memoryBytes: 17179869185 (expected: 3145728..17179869184 for 3 writers)");
    new IdHistory(3, 3 * MIB, parent).close();
    new IdHistory(3, 3 * MIB + 1, parent).close();
    new IdHistory(3, 1L << 34, parent).close();
  }

  @Test
  void takesNothingAfterTheEnd() {
    try (IdHistory history = new IdHistory(2, 2 * MIB, parent)) {
      IdHistory.Writer writer = history.newWriter();
      history.finish();
      assertThatIllegalStateException()
          .isThrownBy(() -> writer.add(1))
          .withMessage("The history is finished; create another one");
      assertThatIllegalStateException()
          .isThrownBy(history::newWriter)
          .withMessage("The history is finished; create another one");
      assertThatIllegalStateException()
          .isThrownBy(history::finish)
          .withMessage("The history is finished; create another one");
    }
  }
}
