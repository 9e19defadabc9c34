package io.firn.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExamplesTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path SOURCES = Path.of("src", "main", "java", "io", "firn", "examples");
  private static final Pattern BLOCK = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);
  private static final Pattern REGION =
      Pattern.compile("// begin [a-z]+\n(.*?)\n *// end", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void leasedWorkerIssuesAnId() {
    String out = output(() -> LeasedWorker.main(new String[] {directory.toString()}));
    assertThat(out).matches("[0-9]+ was made at 20[0-9TZ:.-]+ by worker [0-9]+\n");
  }

  @Test
  void sharedCounterGoesOnWhereItStopped() {
    String[] args = {directory.toString()};
    assertThat(output(() -> SharedCounter.main(args)))
        .isEqualTo(
            """
            invoice 1
            invoice 2
            events 1..250
            the next invoice is 100000 or later
            """);
    assertThat(output(() -> SharedCounter.main(args)))
        .isEqualTo(
            """
            invoice 100000
            invoice 100001
            events 251..500
            the next invoice is 100002 or later
            """);
  }

  @Test
  void fixedWorkersIssueIds() {
    assertThat(output(() -> FixedWorker.main(new String[0])).lines())
        .hasSize(4)
        .last()
        .isEqualTo("WHERE id BETWEEN " + startOfDay(304) + " AND " + (startOfDay(334) - 1));
  }

  /** The first ID of a day of the epoch's year, counted from 0. */
  private static long startOfDay(int day) {
    return Duration.ofDays(day).toMillis() << 22;
  }

  @Test
  void everyCodeBlockOfTheDocumentationIsARegionOfAnExample() throws IOException {
    List<String> regions = new ArrayList<>();
    for (Path source : files(SOURCES, ".java")) {
      matches(REGION, source).map(String::stripIndent).map(String::strip).forEach(regions::add);
    }
    List<String> blocks = new ArrayList<>();
    for (Path page : pages()) {
      matches(BLOCK, page).map(String::strip).forEach(blocks::add);
    }
    assertThat(blocks).isNotEmpty();
    assertThat(regions).containsAll(blocks);
  }

  private static List<Path> pages() throws IOException {
    List<Path> pages = new ArrayList<>(files(ROOT.resolve("docs"), ".md"));
    pages.add(ROOT.resolve("README.md"));
    return pages;
  }

  private static List<Path> files(Path folder, String suffix) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      return all.filter(path -> path.toString().endsWith(suffix)).toList();
    }
  }

  private static Stream<String> matches(Pattern pattern, Path file) throws IOException {
    return pattern.matcher(Files.readString(file)).results().map(result -> result.group(1));
  }

  private static String output(Runnable example) {
    PrintStream before = System.out;
    ByteArrayOutputStream captured = new ByteArrayOutputStream();
    System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
    try {
      example.run();
    } finally {
      System.setOut(before);
    }
    return captured.toString(StandardCharsets.UTF_8);
  }
}
