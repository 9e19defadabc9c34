package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import io.firn.testkit.Trials;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A browser's numbers are doubles: {@link IdLayout#JS_SAFE} issues IDs that survive them. */
class BrowserNumbersTest {

  private static final long MAX_SAFE_INTEGER = (1L << 53) - 1;

  /** Returns the result of {@code JSON.parse} for a number. */
  private static double read(long id) {
    return Double.parseDouble(Long.toString(id));
  }

  /** The IDs of the last tick of the layout's life, of its last worker. */
  private static long[] last() {
    Duration tick = IdLayout.JS_SAFE.tick();
    ManualTimeSource time =
        new ManualTimeSource(IdLayout.JS_SAFE.expiresAt().minus(tick.multipliedBy(2)));
    Snowflake generator =
        Snowflake.builder()
            .layout(IdLayout.JS_SAFE)
            .worker(IdLayout.JS_SAFE.workers() - 1)
            .sequenceStart(SequenceStart.ZERO)
            .allowUnderTenYears()
            .timeSource(time)
            .build();
    time.advance(tick);
    long[] ids = new long[256];
    generator.nextIds(ids);
    return ids;
  }

  @Test
  void issuesIdsUpToTheLargestSafeIntegerAndNoFurther() {
    long[] ids = last();
    assertThat(ids[255]).isEqualTo(MAX_SAFE_INTEGER);
    for (long id : ids) {
      assertThat((long) read(id)).isEqualTo(id);
    }
    assertThat(Arrays.stream(ids).mapToDouble(BrowserNumbersTest::read).distinct()).hasSize(256);
  }

  @Test
  void survivesDoublesWhateverItsFieldsAre() {
    Trials.check(
        "IDs of 53 bits as doubles",
        20_000,
        random -> random.nextLong() >>> 11 >>> random.nextInt(53),
        id -> {
          assertThat((long) read(id)).isEqualTo(id);
          assertThat(read(id)).isNotEqualTo(read(id + 1));
        });
  }

  @Test
  void wouldNotSurviveWithOneBitMore() {
    assertThat(read(MAX_SAFE_INTEGER + 2)).isEqualTo(read(MAX_SAFE_INTEGER + 1));
    assertThat((long) read(117610173326504099L)).isEqualTo(117610173326504096L);
  }

  /** Compares the model with Node.js, where that is installed. */
  @Test
  void survivesJavaScriptItself(@TempDir Path directory) throws Exception {
    Optional<Path> node = onPath("node");
    if (node.isEmpty()) {
      System.getLogger("io.firn")
          .log(System.Logger.Level.INFO, "node: none on the PATH, not asked");
      return;
    }
    List<String> ids =
        LongStream.concat(LongStream.of(0, 1, 117610173326504099L), Arrays.stream(last()))
            .mapToObj(Long::toString)
            .toList();
    List<String> read = evaluate(node.get(), directory, ids);
    assertThat(read.get(2)).isEqualTo("117610173326504100");
    assertThat(read.subList(3, read.size())).isEqualTo(ids.subList(3, ids.size())).hasSize(256);
  }

  private static List<String> evaluate(Path node, Path directory, List<String> ids)
      throws IOException, InterruptedException {
    String json = ids.stream().collect(Collectors.joining(",", "[", "]"));
    Path script = directory.resolve("read.js");
    Files.writeString(script, "console.log(JSON.parse('" + json + "').map(String).join('\\n'))");
    Process process =
        new ProcessBuilder(node.toString(), script.toString()).redirectErrorStream(true).start();
    try {
      String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(out).isZero();
      return out.lines().toList();
    } finally {
      process.destroyForcibly();
    }
  }

  private static Optional<Path> onPath(String program) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .map(directory -> Path.of(directory, program))
        .filter(Files::isExecutable)
        .findFirst();
  }
}
