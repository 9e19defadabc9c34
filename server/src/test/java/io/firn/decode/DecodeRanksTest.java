package io.firn.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.text.IdFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The ranks that true readings get, as docs/using/decode.md shows them. */
final class DecodeRanksTest {

  private static final Instant TODAY = Instant.parse("2026-11-22T12:00:00Z");
  private static final Instant MASTODON_START = Instant.parse("2016-01-01T00:00:00Z");
  private static final Instant CLICKHOUSE_START = Instant.parse("2024-05-01T00:00:00Z");
  private static final int SAMPLES = 100;
  private static final long SEED = 20261122;
  private static final List<Duration> AGES =
      List.of(
          Duration.ofMinutes(5),
          Duration.ofDays(1),
          Duration.ofDays(30),
          Duration.ofDays(365),
          Duration.ofDays(5 * 365));

  private static String table() {
    StringBuilder text = new StringBuilder("| layout |");
    for (String column : List.of("5 minutes", "a day", "30 days", "a year", "5 years", "last")) {
      text.append(' ').append(column).append(" |");
    }
    text.append("\n|---|---|---|---|---|---|---|\n");
    IdLayout.named().entrySet().stream()
        .filter(named -> !named.getValue().equals(IdLayout.REGION)) // read as classic
        .forEach(named -> text.append(row(named.getKey(), named.getValue(), IdFormat.DECIMAL)));
    text.append(row("tsid", IdLayout.TSID, IdFormat.BASE32));
    return text.toString();
  }

  private static String row(String name, IdLayout layout, IdFormat format) {
    List<String> cells = new ArrayList<>();
    for (Duration age : AGES) {
      cells.add(cell(name, layout, format, TODAY, age));
    }
    cells.add(
        cell(name, layout, format, layout.positiveUntil().minus(Duration.ofDays(1)), AGES.get(0)));
    String form = format == IdFormat.DECIMAL ? "" : " as " + format.label();
    return "| `" + name + "`" + form + " | " + String.join(" | ", cells) + " |\n";
  }

  private static String cell(
      String name, IdLayout layout, IdFormat format, Instant now, Duration age) {
    Instant start =
        switch (name) {
          case "mastodon" -> MASTODON_START;
          case "clickhouse" -> CLICKHOUSE_START;
          default -> layout.epoch();
        };
    Instant made = now.minus(age);
    if (made.isBefore(start) || !made.isBefore(layout.positiveUntil())) {
      return "";
    }
    Random random = new Random(SEED);
    int first = 0;
    int amongThree = 0;
    for (int i = 0; i < SAMPLES; i++) {
      long id = sample(layout, made.minusMillis(random.nextInt(1000)), random);
      int rank = rank(name, format.format(id), now);
      first += rank == 0 ? 1 : 0;
      amongThree += rank < 3 ? 1 : 0;
    }
    return String.format(Locale.ROOT, "%d (%d)", first * 100 / SAMPLES, amongThree * 100 / SAMPLES);
  }

  private static int rank(String name, String id, Instant now) {
    List<Reading> readings = new Decoder(now).decode(id);
    Reading truth = readings.stream().filter(r -> r.type().equals(name)).findFirst().orElseThrow();
    return readings.indexOf(
        readings.stream()
            .filter(r -> r.instant().equals(truth.instant()))
            .findFirst()
            .orElseThrow());
  }

  private static long sample(IdLayout layout, Instant made, Random random) {
    long tick = Duration.between(layout.epoch(), made).dividedBy(layout.tick());
    return layout.compose(
        tick,
        random.nextLong(1L << layout.bits(Kind.DATACENTER)),
        random.nextLong(1L << layout.bits(Kind.WORKER)),
        random.nextLong(
            1L
                << (random.nextBoolean()
                    ? Math.min(4, layout.bits(Kind.SEQUENCE))
                    : layout.bits(Kind.SEQUENCE))));
  }

  @Test
  void areThoseOfTheDocs() throws IOException {
    assertThat(Files.readString(Path.of("../docs/using/decode.md"))).contains(table());
  }
}
