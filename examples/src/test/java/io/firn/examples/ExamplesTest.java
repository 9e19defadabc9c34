package io.firn.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExamplesTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path MAIN = Path.of("src", "main", "java");
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
  void sharedCounterContinuesWhereItStopped() {
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
  void regionLeasesWorkersOfItsDatacenter() {
    assertThat(output(() -> Regions.main(new String[] {directory.toString()})))
        .isEqualTo("datacenter 3\n");
  }

  @Test
  void generatorWithTwoLayoutsBeginsWithTheOldOne() {
    assertThat(output(() -> TwoLayouts.main(new String[] {directory.toString()})))
        .isEqualTo("js_safe\n");
  }

  @Test
  void blocksAreReservedForBulkWork() {
    assertThat(output(() -> BulkLoad.main(new String[] {directory.toString()})))
        .isEqualTo(
            """
            1000000 IDs, growing: true
            true
            true
            numbers 1..250000
            1 day ago
            7: true
            """);
  }

  @Test
  void metersShowIssuedIdsAndLeases() {
    assertThat(output(() -> Meters.main(new String[] {directory.toString()})))
        .isEqualTo(
            """
            100.0 IDs issued
            1.0 worker IDs leased
            """);
  }

  @Test
  void fixedWorkersIssueIds() {
    assertThat(output(() -> FixedWorker.main(new String[0])).lines())
        .hasSize(4)
        .last()
        .isEqualTo("WHERE id BETWEEN " + startOfDay(304) + " AND " + (startOfDay(334) - 1));
  }

  @Test
  void wideKeysNeedNoWorker() {
    List<String> lines = output(() -> WideKeys.main(new String[0])).lines().toList();
    assertThat(lines).hasSize(3);
    assertThat(lines.get(0))
        .matches("[0-9a-f-]{13}-7[0-9a-f-]{21} [0-9a-f-]{13}-4[0-9a-f-]{21} 01\\w{24} \\w{24}");
    assertThat(lines.get(1))
        .isEqualTo(
            "2016-07-30T23:54:10.259Z 01563e3a-b5d3-d676-4c61-efb99302bd5b"
                + " 2022-02-22T19:22:22Z");
    assertThat(lines.get(2)).isEqualTo("true");
  }

  @Test
  void textFormsBringIdsBack() {
    assertThat(output(() -> TextForms.main(new String[0])))
        .isEqualTo(
            """
            038ENTHDHJC53 /orders/08gef3PgRbX 117610173326504099
            base58: 4jgmnx0Js8A (expected: a digit of base 58 at position 7)
            order_01h455vb4pex5vsknk084sn02q 01890a5d-ac96-774b-bcce-b302099a8057
            9xso2PzTFje
            8aK3AyJ16x6
            hKpRjjLjQB5
            117610173326504099
            """);
  }

  @Test
  void outboxIsReadUpToTheWatermark() {
    String[] args = {directory.toString(), "jdbc:h2:mem:outbox"};
    assertThat(output(() -> outbox(args))).isEqualTo("order 7 was paid\norder 7 was shipped\n");
  }

  private static void outbox(String... args) {
    try {
      Outbox.main(args);
    } catch (SQLException | InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void browsersReadOneNumberAndRoundAnother() {
    assertThat(output(() -> Browsers.main(new String[0]))).isEqualTo("true 117610173326504096\n");
  }

  /** The first ID of a day of the epoch's year, counted from 0. */
  private static long startOfDay(int day) {
    return Duration.ofDays(day).toMillis() << 22;
  }

  @Test
  void everyCodeBlockOfTheDocumentationIsARegionOfAnExample() throws IOException {
    List<String> regions = new ArrayList<>();
    for (Path source : sources()) {
      matches(REGION, source)
          .map(String::stripTrailing)
          .map(String::stripIndent)
          .map(String::strip)
          .forEach(regions::add);
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

  /** Of these examples and of those in modules of their own, and tests of integrations. */
  private static List<Path> sources() throws IOException {
    return Stream.concat(
            files(ROOT.resolve("examples"), ".java").stream()
                .filter(path -> path.toString().contains(MAIN.toString())),
            files(ROOT.resolve("integrations"), "Test.java").stream())
        .toList();
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
