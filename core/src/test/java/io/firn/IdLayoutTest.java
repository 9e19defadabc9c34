package io.firn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.IdLayout.Field;
import io.firn.IdLayout.Kind;
import io.firn.testkit.Trials;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class IdLayoutTest {

  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void readsBackEveryIdOfEveryLayoutUpToEightBits() {
    for (IdLayout layout : SmallLayouts.all(8)) {
      long tickMillis = layout.tick().toMillis();
      for (long id = 0; id < 1L << layout.totalBits(); id++) {
        IdParts parts = layout.parse(id);
        long composed =
            layout.compose(parts.tick(), parts.datacenter(), parts.worker(), parts.sequence());
        if (composed != id
            || parts.id() != id
            || parts.instant().toEpochMilli()
                != layout.epoch().toEpochMilli() + parts.tick() * tickMillis) {
          throw new AssertionError(layout + " reads " + id + " as " + parts);
        }
      }
      assertThat(layout.fits(1L << layout.totalBits())).isFalse();
    }
  }

  @Test
  void readsBackTheTextOfEveryLayoutUpToEightBits() {
    List<IdLayout> all = SmallLayouts.all(8);
    assertThat(all).hasSizeGreaterThan(2_000).doesNotHaveDuplicates();
    for (IdLayout layout : all) {
      assertThat(IdLayout.of(layout.toString())).isEqualTo(layout).hasSameHashCodeAs(layout);
    }
  }

  @Test
  void readsBackRandomLargeLayoutsAndTheirIds() {
    record Input(IdLayout layout, long id) {}
    Trials.check(
        "large layouts",
        5_000,
        random -> {
          IdLayout layout = randomLayout(random);
          long id = random.nextLong() & (-1L >>> (64 - layout.totalBits()));
          return new Input(layout, id);
        },
        input -> {
          IdLayout layout = input.layout();
          assertThat(IdLayout.of(layout.toString())).isEqualTo(layout);
          IdParts parts = layout.parse(input.id());
          assertThat(
                  layout.compose(
                      parts.tick(), parts.datacenter(), parts.worker(), parts.sequence()))
              .isEqualTo(input.id());
          assertThat(Duration.between(layout.epoch(), parts.instant()).dividedBy(layout.tick()))
              .isEqualTo(parts.tick());
          if (layout.fields().get(0).kind() == Kind.TIME) {
            assertThat(layout.minId(parts.instant()))
                .isEqualTo(parts.tick() << layout.shift(Kind.TIME));
            assertThat(
                    Long.compareUnsigned(layout.minId(parts.instant()), input.id()) <= 0
                        && Long.compareUnsigned(input.id(), layout.maxId(parts.instant())) <= 0)
                .isTrue();
          }
        });
  }

  private static IdLayout randomLayout(RandomGenerator random) {
    List<Kind> kinds = new ArrayList<>(List.of(Kind.values()));
    for (int i = kinds.size() - 1; i > 0; i--) {
      Collections.swap(kinds, i, random.nextInt(i + 1));
    }
    int left = kinds.get(0) == Kind.TIME ? 64 : 63;
    IdLayout.Builder builder = IdLayout.builder();
    for (Kind kind : kinds) {
      int bits = random.nextInt(kind == Kind.TIME ? 1 : 0, Math.min(left / 2, 40) + 1);
      if (bits > 0) {
        builder.field(kind, bits);
        left -= bits;
      }
    }
    return builder
        .epoch(Instant.ofEpochMilli(random.nextLong(-1L << 42, 1L << 42)))
        .tick(Duration.ofMillis(random.nextLong(1, 100_000)))
        .build();
  }

  @Test
  void writesTheTickInSecondsWhereItIsWhole() {
    IntFunction<IdLayout> ofTick =
        millis -> IdLayout.builder().time(30).epoch(EPOCH).tick(Duration.ofMillis(millis)).build();
    assertThat(ofTick.apply(999)).hasToString("30t@2026-01-01T00:00:00Z/999ms");
    assertThat(ofTick.apply(1_000)).hasToString("30t@2026-01-01T00:00:00Z/1s");
    assertThat(ofTick.apply(1_001)).hasToString("30t@2026-01-01T00:00:00Z/1001ms");
    assertThat(IdLayout.of("30t@2026-01-01T00:00:00Z/1000ms"))
        .isEqualTo(IdLayout.of("30t@2026-01-01T00:00:00Z/1s"));
  }

  @Test
  void readsBackEpochsFarAway() {
    for (String epoch : List.of("-0044-03-15T12:00:00Z", "+12026-01-01T00:00:00Z")) {
      assertThat(IdLayout.of("41t+22s@" + epoch + "/1ms")).hasToString("41t+22s@" + epoch + "/1ms");
    }
  }

  @Test
  void knowsTheNamedLayoutsByName() {
    assertThat(IdLayout.named().keySet())
        .containsExactly(
            "classic",
            "twitter",
            "shardingsphere",
            "discord",
            "instagram",
            "mastodon",
            "sonyflake",
            "sonyflake_v2",
            "leaf",
            "baidu",
            "seata",
            "hazelcast",
            "cosid",
            "clickhouse",
            "yitter",
            "tsid",
            "pgedge",
            "js_safe",
            "region",
            "game");
    IdLayout.named()
        .forEach(
            (name, layout) -> {
              assertThat(IdLayout.of(name)).isSameAs(layout);
              assertThat(layout.name()).contains(name);
              assertThat(IdLayout.of(layout.toString())).isEqualTo(layout);
            });
    assertThat(IdLayout.of("JS-Safe")).isSameAs(IdLayout.JS_SAFE);
    assertThat(IdLayout.of("TWITTER")).isSameAs(IdLayout.TWITTER);
    assertThat(IdLayout.TWITTER.withEpoch(EPOCH).name()).isEmpty();
  }

  @Test
  void layoutsAreEqualIfAllTheirPartsAre() {
    assertThat(IdLayout.CLASSIC)
        .isEqualTo(IdLayout.of("41t+10w+12s@2026-01-01T00:00:00Z/1ms"))
        .isNotEqualTo(IdLayout.of("41t+12w+10s@2026-01-01T00:00:00Z/1ms"))
        .isNotEqualTo(IdLayout.of("41t+10d+12s@2026-01-01T00:00:00Z/1ms"))
        .isNotEqualTo(IdLayout.of("10w+41t+12s@2026-01-01T00:00:00Z/1ms"))
        .isNotEqualTo(IdLayout.of("41t+10w+12s@2026-01-01T00:00:00.001Z/1ms"))
        .isNotEqualTo(IdLayout.of("41t+10w+12s@2026-01-01T00:00:00Z/2ms"));
  }

  @Test
  void keepsEverythingButTheEpochOfALayout() {
    assertThat(IdLayout.SONYFLAKE.withEpoch(EPOCH))
        .hasToString("39t+8s+16w@2026-01-01T00:00:00Z/10ms");
    assertThat(IdLayout.BAIDU.withEpoch(EPOCH).expiresAt()).isEqualTo("2034-07-04T21:24:16Z");
  }

  @Test
  void describesItsFields() {
    assertThat(IdLayout.TWITTER.fields())
        .containsExactly(
            new Field(Kind.TIME, 41, 22),
            new Field(Kind.DATACENTER, 5, 17),
            new Field(Kind.WORKER, 5, 12),
            new Field(Kind.SEQUENCE, 12, 0));
    assertThat(IdLayout.CLASSIC.field(Kind.DATACENTER)).isEmpty();
    assertThat(IdLayout.CLASSIC.field(Kind.WORKER)).contains(new Field(Kind.WORKER, 10, 12));
    assertThat(IdLayout.CLASSIC.bits(Kind.DATACENTER)).isZero();
    assertThat(IdLayout.JS_SAFE.totalBits()).isEqualTo(53);
    assertThat(IdLayout.DISCORD.totalBits()).isEqualTo(64);
    assertThat(IdLayout.TWITTER.workers()).isEqualTo(1024);
    assertThat(IdLayout.MASTODON.workers()).isEqualTo(1);
    assertThat(IdLayout.GAME.workers()).isEqualTo(1_048_576);
    assertThat(IdLayout.REGION.workerId(7, 127)).isEqualTo(1_023);
  }

  @Test
  void refusesAFieldThatNoLayoutCanHave() {
    assertThat(new Field(Kind.TIME, 1, 0).max()).isEqualTo(1);
    assertThat(new Field(Kind.TIME, 62, 0).max()).isEqualTo(Long.MAX_VALUE / 2);
    assertThat(new Field(Kind.TIME, 1, 63).shift()).isEqualTo(63);
    assertThat(new Field(Kind.TIME, 62, 2).shift()).isEqualTo(2);
    refuses(() -> new Field(Kind.TIME, 0, 0), "bits: 0 (expected: 1..62)");
    refuses(() -> new Field(Kind.TIME, 63, 0), "bits: 63 (expected: 1..62)");
    refuses(() -> new Field(Kind.TIME, 1, -1), "shift: -1 (expected: 0..63)");
    refuses(() -> new Field(Kind.TIME, 1, 64), "shift: 64 (expected: 0..63)");
    refuses(() -> new Field(Kind.TIME, 62, -1), "shift: -1 (expected: 0..2)");
    refuses(() -> new Field(Kind.TIME, 62, 3), "shift: 3 (expected: 0..2)");
  }

  @Test
  void knowsItsCapacity() {
    assertThat(IdLayout.CLASSIC.capacityPerSecond()).isEqualTo(4_096_000.0);
    assertThat(IdLayout.JS_SAFE.capacityPerSecond()).isEqualTo(25_600.0);
    assertThat(IdLayout.GAME.capacityPerSecond()).isEqualTo(4_096.0);
    assertThat(IdLayout.of("40t@2026-01-01T00:00:00Z/1ms").capacityPerSecond()).isEqualTo(1_000.0);
  }

  @Test
  void boundsTheIdsOfATick() {
    Instant instant = EPOCH.plusMillis(5);
    assertThat(IdLayout.CLASSIC.minId(instant)).isEqualTo(5L << 22);
    assertThat(IdLayout.CLASSIC.maxId(instant)).isEqualTo((6L << 22) - 1);
    assertThat(IdLayout.CLASSIC.minId(instant.plusNanos(999_999))).isEqualTo(5L << 22);
    assertThat(IdLayout.CLASSIC.maxId(instant.minusNanos(1))).isEqualTo((5L << 22) - 1);
    assertThat(IdLayout.SONYFLAKE_V2.minId(Instant.parse("2025-01-01T00:00:00.019Z")))
        .isEqualTo(1L << 24);
    assertThat(IdLayout.SONYFLAKE_V2.maxId(Instant.parse("2025-01-01T00:00:00.009Z")))
        .isEqualTo((1L << 24) - 1);
    IdLayout timeOnly = IdLayout.of("40t@2026-01-01T00:00:00Z/1ms");
    assertThat(timeOnly.minId(instant)).isEqualTo(5).isEqualTo(timeOnly.maxId(instant));
  }

  @Test
  void boundsTheIdsOfItsFirstAndLastTick() {
    assertThat(IdLayout.CLASSIC.minId(EPOCH)).isZero();
    assertThat(IdLayout.CLASSIC.maxId(IdLayout.CLASSIC.expiresAt().minusNanos(1)))
        .isEqualTo(Long.MAX_VALUE);
    assertThat(IdLayout.INSTAGRAM.maxId(IdLayout.INSTAGRAM.expiresAt().minusMillis(1)))
        .isEqualTo(-1);
    assertThat(IdLayout.INSTAGRAM.minId(IdLayout.INSTAGRAM.positiveUntil()))
        .isEqualTo(Long.MIN_VALUE);
  }

  @Test
  void refusesARangeOutsideItsTime() {
    String expected = " (expected: from 2026-01-01T00:00:00Z to before 2095-09-07T15:47:35.552Z)";
    refuses(
        () -> IdLayout.CLASSIC.minId(EPOCH.minusNanos(1)),
        "instant: 2025-12-31T23:59:59.999999999Z" + expected);
    refuses(
        () -> IdLayout.CLASSIC.maxId(Instant.parse("2095-09-07T15:47:35.552Z")),
        "instant: 2095-09-07T15:47:35.552Z" + expected);
    refuses(() -> IdLayout.CLASSIC.minId(Instant.MIN), "instant: " + Instant.MIN + expected);
    refuses(() -> IdLayout.CLASSIC.minId(Instant.MAX), "instant: " + Instant.MAX + expected);
  }

  @Test
  void refusesARangeWhereTimeIsNotHighest() {
    assertThatExceptionOfType(UnsupportedOperationException.class)
        .isThrownBy(() -> IdLayout.SEATA.minId(EPOCH))
        .withMessage(
            "layout: 10w+41t+12s@2020-05-02T16:00:00Z/1ms (expected: time as the highest field,"
                + " for a range of IDs)");
  }

  @Test
  void refusesAValueThatDoesNotFitItsField() {
    IdLayout layout = IdLayout.TWITTER;
    layout.compose((1L << 41) - 1, 31, 31, 4095);
    refuses(
        () -> layout.compose(1L << 41, 0, 0, 0),
        "time: 2199023255552 (expected: 0..2199023255551, the layout has 41 time bits)");
    refuses(
        () -> layout.compose(-1, 0, 0, 0),
        "time: -1 (expected: 0..2199023255551, the layout has 41 time bits)");
    refuses(
        () -> layout.compose(0, 32, 0, 0),
        "datacenter: 32 (expected: 0..31, the layout has 5 datacenter bits)");
    refuses(
        () -> layout.compose(0, -1, 0, 0),
        "datacenter: -1 (expected: 0..31, the layout has 5 datacenter bits)");
    refuses(
        () -> layout.compose(0, 0, 32, 0),
        "worker: 32 (expected: 0..31, the layout has 5 worker bits)");
    refuses(
        () -> layout.compose(0, 0, 0, 4096),
        "sequence: 4096 (expected: 0..4095, the layout has 12 sequence bits)");
    refuses(
        () -> IdLayout.CLASSIC.compose(0, 1, 0, 0),
        "datacenter: 1 (expected: none, the layout is 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
  }

  @Test
  void refusesAWorkerIdThatItDoesNotHave() {
    assertThat(IdLayout.REGION.placeWorkerId(1023)).isEqualTo(1023L << 12);
    assertThat(IdLayout.MASTODON.placeWorkerId(0)).isZero();
    for (long worker : new long[] {-1, 1024, Long.MIN_VALUE}) {
      for (IdLayout layout : List.of(IdLayout.CLASSIC, IdLayout.REGION)) {
        refuses(
            () -> layout.placeWorkerId(worker),
            "worker: " + worker + " (expected: 0..1023, the layout is " + layout + ")");
      }
    }
  }

  @Test
  void refusesAnIdWithBitsAboveIts() {
    assertThat(IdLayout.JS_SAFE.parse((1L << 53) - 1).worker()).isEqualTo(127);
    refuses(
        () -> IdLayout.JS_SAFE.parse(1L << 53),
        "id: 9007199254740992 (expected: 0..9007199254740991, the layout is"
            + " 38t+7w+8s@2026-01-01T00:00:00Z/10ms)");
    refuses(
        () -> IdLayout.CLASSIC.parse(-1),
        "id: -1 (expected: 0..9223372036854775807, the layout is"
            + " 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
  }

  @Test
  void refusesTheLayoutThatCannotExist() {
    refuses(
        () -> IdLayout.builder().time(37).worker(20).sequence(16).epoch(EPOCH).build(),
        "layout: 37t+20w+16s (expected: at most 63 bits, or 64 with time first;"
            + " 37 + 20 + 16 = 73; 37 bits of 1ms last 4.4 years)");
    refuses(
        () -> IdLayout.of("37t+20w+16s@2026-01-01T00:00:00Z/1ms"),
        "layout: 37t+20w+16s (expected: at most 63 bits, or 64 with time first;"
            + " 37 + 20 + 16 = 73; 37 bits of 1ms last 4.4 years)");
  }

  @Test
  void takesUpTo63BitsAnd64WithTimeFirst() {
    assertThat(IdLayout.builder().worker(22).time(41).epoch(EPOCH).build().totalBits())
        .isEqualTo(63);
    assertThat(IdLayout.builder().time(42).worker(22).epoch(EPOCH).build().totalBits())
        .isEqualTo(64);
    refuses(
        () -> IdLayout.builder().worker(22).time(42).epoch(EPOCH).build(),
        "layout: 22w+42t (expected: at most 63 bits, or 64 with time first; 22 + 42 = 64;"
            + " 42 bits of 1ms last 139.4 years)");
    refuses(
        () -> IdLayout.builder().time(43).worker(22).epoch(EPOCH).build(),
        "layout: 43t+22w (expected: at most 63 bits, or 64 with time first; 43 + 22 = 65;"
            + " 43 bits of 1ms last 278.7 years)");
  }

  @Test
  void refusesAFieldThatIsTooNarrowOrTooWide() {
    assertThat(IdLayout.builder().worker(62).time(1).epoch(EPOCH).build().workers())
        .isEqualTo(1L << 62);
    assertThat(IdLayout.builder().time(62).sequence(1).epoch(EPOCH).build().totalBits())
        .isEqualTo(63);
    refuses(() -> IdLayout.builder().time(0), "time: 0 bits (expected: 1..62)");
    refuses(() -> IdLayout.builder().time(63), "time: 63 bits (expected: 1..62)");
    refuses(() -> IdLayout.builder().worker(-1), "worker: -1 bits (expected: 1..62)");
    refuses(() -> IdLayout.builder().datacenter(0), "datacenter: 0 bits (expected: 1..62)");
    refuses(() -> IdLayout.builder().sequence(99), "sequence: 99 bits (expected: 1..62)");
    refuses(
        () -> IdLayout.of("41t+0w@2026-01-01T00:00:00Z/1ms"), "worker: 0 bits (expected: 1..62)");
  }

  @Test
  void refusesMoreGeneratorsThanANumberCounts() {
    assertThat(IdLayout.builder().time(2).datacenter(31).worker(31).epoch(EPOCH).build().workers())
        .isEqualTo(1L << 62);
    refuses(
        () -> IdLayout.of("1t+62w+1d@2026-01-01T00:00:00Z/1ms"),
        "layout: 1t+62w+1d (expected: at most 62 bits of datacenter and worker)");
  }

  @Test
  void refusesAFieldTwiceAndALayoutWithoutTime() {
    refuses(
        () -> IdLayout.builder().worker(1).worker(2), "worker: 2 (expected: set once, it is 1)");
    refuses(
        () -> IdLayout.of("41t+1w+1t@2026-01-01T00:00:00Z/1ms"),
        "time: 1 (expected: set once, it is 41)");
    refuses(
        () -> IdLayout.builder().worker(10).sequence(3).epoch(EPOCH).build(),
        "layout: 10w+3s (expected: a time field)");
    refuses(() -> IdLayout.builder().epoch(EPOCH).build(), "layout:  (expected: a time field)");
  }

  @Test
  void refusesAnEpochThatIsMissingOrFiner() {
    refuses(
        () -> IdLayout.builder().time(41).build(),
        "epoch: not set (expected: the instant of tick 0)");
    refuses(
        () -> IdLayout.builder().epoch(EPOCH.plusNanos(1)),
        "epoch: 2026-01-01T00:00:00.000000001Z (expected: whole milliseconds)");
    refuses(
        () -> IdLayout.of("41t@yesterday/1ms"),
        "epoch: yesterday (expected: an instant such as 2026-01-01T00:00:00Z)");
    refuses(
        () -> IdLayout.of("41t@2026-01-01T00:00:00/1ms"),
        "epoch: 2026-01-01T00:00:00 (expected: an instant such as 2026-01-01T00:00:00Z)");
  }

  @Test
  void refusesATickThatIsNoWholeMillisecond() {
    String expected = " (expected: a whole number of milliseconds, 1..9223372036854775807)";
    IdLayout.builder().tick(Duration.ofMillis(1));
    refuses(
        () -> IdLayout.builder().tick(Duration.ofMillis(Long.MAX_VALUE).plusMillis(1)),
        "tick: PT2562047788015H12M55.808S" + expected);
    refuses(() -> IdLayout.builder().tick(Duration.ZERO), "tick: 0ms" + expected);
    refuses(() -> IdLayout.builder().tick(Duration.ofMillis(-1)), "tick: PT-0.001S" + expected);
    refuses(
        () -> IdLayout.builder().tick(Duration.ofNanos(1_000_001)),
        "tick: PT0.001000001S" + expected);
    refuses(() -> IdLayout.of("41t@2026-01-01T00:00:00Z/0ms"), "tick: 0ms" + expected);
  }

  @Test
  void readsBackTheLongestTick() {
    Duration longest = Duration.ofMillis(Long.MAX_VALUE / 2);
    IdLayout layout =
        IdLayout.builder().time(1).worker(10).epoch(Instant.EPOCH).tick(longest).build();
    assertThat(IdLayout.of(layout.toString())).isEqualTo(layout);
    String tooLong = "1t@1970-01-01T00:00:00Z/9223372036854775808ms";
    refuses(
        () -> IdLayout.of(tooLong),
        "layout: "
            + tooLong
            + " (expected: a name such as twitter, or a form such as"
            + " 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
  }

  @Test
  void refusesAnEndThatNoInstantHolds() {
    String expected = " (expected: an end before the year 292278994)";
    Instant last = Instant.ofEpochMilli(Long.MAX_VALUE);
    assertThat(IdLayout.builder().time(1).epoch(last.minusMillis(2)).build().expiresAt())
        .isEqualTo(last);
    refuses(
        () -> IdLayout.builder().time(1).epoch(last.minusMillis(1)).build(),
        "layout: 1t" + expected);
    refuses(() -> IdLayout.of("62t@2026-01-01T00:00:00Z/2ms"), "layout: 62t" + expected);
    refuses(
        () ->
            IdLayout.builder().time(1).epoch(EPOCH).tick(Duration.ofMillis(Long.MAX_VALUE)).build(),
        "layout: 1t" + expected);
  }

  @Test
  void refusesATickThatNoInstantHolds() {
    IdLayout seconds = IdLayout.BAIDU;
    long last = (Long.MAX_VALUE - seconds.epoch().toEpochMilli()) / 1000;
    assertThat(seconds.instantAt(last)).isAfter(Instant.parse("+292278994-08-17T07:12:54Z"));
    assertThat(seconds.instantAt(-1)).isEqualTo(seconds.epoch().minusSeconds(1));
    for (long tick : new long[] {last + 1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      refuses(
          () -> seconds.instantAt(tick),
          "tick: " + tick + " (expected: one whose time is within 64 bits of milliseconds)");
    }
  }

  @Test
  void refusesAnEpochThatIsTooFarAway() {
    refuses(
        () -> IdLayout.builder().time(41).epoch(Instant.MIN).build(),
        "epoch: -1000000000-01-01T00:00:00Z (expected: between the years -292275055 and"
            + " 292278994)");
    refuses(
        () -> IdLayout.of("41t@+292278995-01-01T00:00:00Z/1ms"),
        "epoch: +292278995-01-01T00:00:00Z (expected: between the years -292275055 and"
            + " 292278994)");
  }

  @Test
  void refusesTextThatIsNeitherNameNorForm() {
    for (String text :
        List.of(
            "",
            "twiter",
            "clic\u212ahouse",
            "41t+10w+12s",
            "41t+10w+12s@2026-01-01T00:00:00Z",
            "41t+10w+12s@2026-01-01T00:00:00Z/",
            "41t+10w+12s@2026-01-01T00:00:00Z/1",
            "41t+10w+12s@2026-01-01T00:00:00Z/1m",
            "41t+10w+12s@2026-01-01T00:00:00Z/-1ms",
            "41t10w12s@2026-01-01T00:00:00Z/1ms",
            "41t+@2026-01-01T00:00:00Z/1ms",
            "+41t@2026-01-01T00:00:00Z/1ms",
            "41x@2026-01-01T00:00:00Z/1ms",
            "100t@2026-01-01T00:00:00Z/1ms",
            " 41t@2026-01-01T00:00:00Z/1ms",
            "41t@2026-01-01T00:00:00Z/1ms/1ms",
            "41t@2026-01-01T00:00:00Z/10000000000000000000ms")) {
      refuses(
          () -> IdLayout.of(text),
          "layout: "
              + text
              + " (expected: a name such as twitter, or a form such as"
              + " 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
    }
  }

  private static void refuses(Runnable call, String message) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(call::run)
        .withMessage(message);
  }
}
