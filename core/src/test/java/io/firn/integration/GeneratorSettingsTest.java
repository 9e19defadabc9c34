package io.firn.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.Snowflake;
import io.firn.integration.GeneratorSettings.Setting;
import io.firn.lease.AfterLoss;
import io.firn.lease.LayoutChange;
import io.firn.lease.LayoutMismatchException;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GeneratorSettingsTest {

  private static GeneratorSettings settings(Map<String, ?> values) {
    return GeneratorSettings.of(setting -> values.get(setting.key()));
  }

  private static final Map<String, String> ALL =
      Map.ofEntries(
          Map.entry("layout", "twitter"),
          Map.entry("next-layout", "classic"),
          Map.entry("datacenter", "11"),
          Map.entry("worker", "26"),
          Map.entry("instance", "till-3"),
          Map.entry("window", "20s"),
          Map.entry("acquire-timeout", "1m"),
          Map.entry("max-clock-skew", "7s"),
          Map.entry("max-split", "4s"),
          Map.entry("after-loss", "wait"),
          Map.entry("settle-time", "3m"),
          Map.entry("carry-over", "/var/lib/firn"),
          Map.entry("max-lead", "5ms"),
          Map.entry("max-wait", "2m"),
          Map.entry("sequence-start", "rotating(2)"),
          Map.entry("clock-policy", "leaf"),
          Map.entry("allow-under-ten-years", "on"));

  @Test
  void readsEverySettingByItsName() {
    assertThat(Arrays.stream(Setting.values()).map(Setting::key))
        .containsExactlyInAnyOrderElementsOf(ALL.keySet());
    Map<String, String> all = new HashMap<>(ALL);
    assertThat(settings(Map.of("clock-policy", all.remove("clock-policy"))).clockPolicy())
        .isEqualTo(ClockPolicy.LEAF);
    GeneratorSettings read = settings(all);
    assertThat(read.layout()).isEqualTo(IdLayout.TWITTER);
    assertThat(read.nextLayout()).isEqualTo(IdLayout.CLASSIC);
    assertThat(read.datacenter()).isEqualTo(11);
    assertThat(read.worker()).isEqualTo(WorkerNumber.of(26)).hasToString("26");
    assertThat(read.instance()).isEqualTo("till-3");
    assertThat(read.window()).isEqualTo(Duration.ofSeconds(20));
    assertThat(read.acquireTimeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(read.maxClockSkew()).isEqualTo(Duration.ofSeconds(7));
    assertThat(read.maxSplit()).isEqualTo(Duration.ofSeconds(4));
    assertThat(read.afterLoss()).isEqualTo(AfterLoss.WAIT);
    assertThat(read.settleTime()).isEqualTo(Duration.ofMinutes(3));
    assertThat(read.carryOver()).isEqualTo(Path.of("/var/lib/firn"));
    assertThat(read.maxLead()).isEqualTo(Duration.ofMillis(5));
    assertThat(read.maxWait()).isEqualTo(Duration.ofMinutes(2));
    assertThat(read.sequenceStart()).hasToString("rotating(2)");
    assertThat(read.allowUnderTenYears()).isTrue();
  }

  @Test
  void takesValuesOfTheirTypesAsTheyAre() {
    GeneratorSettings read =
        settings(
            Map.of(
                "layout",
                IdLayout.TWITTER,
                "worker",
                Integer.valueOf(3),
                "max-wait",
                Duration.ofDays(1),
                "sequence-start",
                SequenceStart.ZERO,
                "allow-under-ten-years",
                true));
    assertThat(read)
        .isEqualTo(
            settings(
                Map.of(
                    "layout", "twitter",
                    "worker", "3",
                    "max-wait", "24h",
                    "sequence-start", "zero",
                    "allow-under-ten-years", "on")));
    assertThat(read.maxWait()).isEqualTo(Duration.ofDays(1));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "worker | x | worker: x (expected: a whole number, ordinal or lease)",
        "worker | +3 | worker: +3 (expected: a whole number, ordinal or lease)",
        "worker | \u0663 | worker: \u0663 (expected: a whole number, ordinal or lease)",
        "datacenter | 1.5 | datacenter: 1.5 (expected: a whole number)",
        "datacenter | +3 | datacenter: +3 (expected: a whole number)",
        "datacenter | \u0663 | datacenter: \u0663 (expected: a whole number)",
        "window | 30 | window: 30 (expected: a time, as 500ms or 5s or 2m or 1h)",
        "after-loss | stop | afterLoss: stop (expected: ahead or wait)",
        "max-wait | -1ms | max-wait: -1ms (expected: a time, as 500ms or 5s or 2m or 1h)",
        "max-lead | 1234567890s |"
            + " max-lead: 1234567890s (expected: a time, as 500ms or 5s or 2m or 1h)",
        "sequence-start | one | sequenceStart: one (expected: continue, zero, random(N) or"
            + " rotating(N), N below 10^9)",
        "clock-policy | uid | clockPolicy: uid (expected: twitter, leaf, shardingsphere(10ms,1) or"
            + " baidu(1s), numbers below 10^9)",
        "allow-under-ten-years | yes | allow-under-ten-years: yes (expected: on or off)",
      })
  void refusesTextsOfAnotherForm(String key, String text, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of(key, text)))
        .withMessage(message);
  }

  @Test
  void buildsAGeneratorOfAFixedWorker() {
    GeneratorSettings read =
        settings(
            Map.of(
                "layout", "twitter", "datacenter", "11", "worker", "26", "sequence-start", "zero"));
    try (Snowflake generator = read.fixed().build()) {
      long id = generator.nextId();
      assertThat(IdLayout.TWITTER.parse(id).datacenter()).isEqualTo(11);
      assertThat(IdLayout.TWITTER.parse(id).worker()).isEqualTo(26);
      assertThat(IdLayout.TWITTER.parse(id).sequence()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "worker=1024 | worker: 1024 (expected: 0..1023, the layout has 10 worker bits)",
        "layout=classic | worker: not set (expected: 0..1023, it is never guessed)",
        "worker=1;next-layout=leaf | nextLayout: 41t+10w+12s@2010-11-04T01:42:54.657Z/1ms"
            + " (expected: a lease, whose namespace can change)",
        "worker=lease | worker: lease (expected: only with a lease)",
        "worker=1;instance=till-3 | instance: till-3 (expected: only with a lease)",
        "worker=1;acquire-timeout=1m | acquire-timeout: 1m (expected: only with a lease)",
        "worker=1;max-clock-skew=7s | max-clock-skew: 7s (expected: only with a lease)",
        "worker=1;max-split=4s | max-split: 4s (expected: only with a lease)",
        "worker=1;window=20s | window: 20s (expected: only with a lease)",
        "worker=1;settle-time=2m | settle-time: 2m (expected: only with a lease)",
        "worker=1;carry-over=/x | carry-over: /x (expected: only with a lease)",
        "worker=1;after-loss=wait | after-loss: wait (expected: only with a lease)",
        "worker=1;clock-policy=leaf;max-lead=1ms | max-lead: 1ms (expected: not set beside"
            + " clock-policy)",
      })
  void buildsNoFixedGeneratorOfContradictions(String settings, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(map(settings)).fixed().build())
        .withMessage(message);
  }

  @Test
  void inheritsWhatItsOwnSettingsDoNotReplace() {
    GeneratorSettings policy = inheriting("clock-policy=leaf", "max-wait=1s;window=10s");
    assertThat(policy.clockPolicy()).isEqualTo(ClockPolicy.LEAF);
    assertThat(policy.maxWait()).isNull();
    assertThat(policy.window()).isEqualTo(Duration.ofSeconds(10));
    GeneratorSettings part = inheriting("max-wait=1s", "clock-policy=leaf;max-wait=2s;max-lead=3s");
    assertThat(part.clockPolicy()).isNull();
    assertThat(part.maxWait()).isEqualTo(Duration.ofSeconds(1));
    assertThat(part.maxLead()).isEqualTo(Duration.ofSeconds(3));
  }

  @Test
  void inheritsTheNextLayoutWithTheLayoutOnly() {
    assertThat(inheriting("window=10s", "layout=leaf;next-layout=classic").nextLayout())
        .isEqualTo(IdLayout.CLASSIC);
    assertThat(inheriting("layout=twitter", "layout=leaf;next-layout=classic").nextLayout())
        .isNull();
  }

  @Test
  void leasesWithTheNextLayoutOnceTheNamespaceHasIt() throws Exception {
    RegisterStore store = new InMemoryRegisterStore();
    GeneratorSettings old = settings(Map.of("layout", "js_safe"));
    old.leased(lease(store)).build().close();
    LayoutChange change = LayoutChange.of(store, "orders");
    Instant at = Instant.now().plusMillis(200).truncatedTo(ChronoUnit.MILLIS);
    assertThat(change.apply(IdLayout.CLASSIC, at, false).fixed()).isTrue();
    while (!Instant.now().isAfter(at)) {
      Thread.sleep(10);
    }
    assertThatThrownBy(() -> old.leased(lease(store)).build())
        .isInstanceOf(LayoutMismatchException.class);
    GeneratorSettings both = settings(Map.of("layout", "js_safe", "next-layout", "classic"));
    try (Snowflake generator = both.leased(lease(store)).build()) {
      assertThat(generator.layout()).isEqualTo(IdLayout.CLASSIC);
    }
  }

  private static GeneratorSettings inheriting(String own, String all) {
    return GeneratorSettings.of(
        setting -> map(own).get(setting.key()), setting -> map(all).get(setting.key()));
  }

  private static Map<String, String> map(String settings) {
    return List.of(settings.split(";", -1)).stream()
        .map(setting -> setting.split("=", 2))
        .collect(java.util.stream.Collectors.toMap(setting -> setting[0], setting -> setting[1]));
  }

  private static LeaseConfig.Builder lease(RegisterStore store) {
    return LeaseConfig.builder(store, "orders");
  }

  @Test
  void leasesTheWorkerThatTheSettingsName() {
    RegisterStore store = new InMemoryRegisterStore();
    GeneratorSettings read =
        settings(Map.of("layout", "twitter", "datacenter", "3", "worker", "4", "window", "20s"));
    try (Snowflake generator = read.leased(lease(store)).build()) {
      long id = generator.nextId();
      assertThat(IdLayout.TWITTER.parse(id).datacenter()).isEqualTo(3);
      assertThat(IdLayout.TWITTER.parse(id).worker()).isEqualTo(4);
      assertThat(generator.leaseStatus().orElseThrow().worker()).isEqualTo(3 << 5 | 4);
    }
  }

  @Test
  void namesSettingsInMessagesAsTheUserDoes() {
    assertThat(
            GeneratorSettings.Setting.withKeys(
                "clockPolicy: leaf (expected: no maxLead or allowUnderTenYears(), worker 3)"))
        .isEqualTo("clock-policy: leaf (expected: no max-lead or allow-under-ten-years, worker 3)");
  }

  @Test
  void leasesAnyWorkerUnlessTheSettingsNameOne() {
    RegisterStore store = new InMemoryRegisterStore();
    try (Snowflake first = settings(Map.of()).leased(lease(store)).build();
        Snowflake second = settings(Map.of()).leased(lease(store)).build()) {
      assertThat(IdLayout.CLASSIC.parse(first.nextId()).worker())
          .isNotEqualTo(IdLayout.CLASSIC.parse(second.nextId()).worker());
    }
  }

  @Test
  void leavesTheRestOfAWindowInAFileOfItsNamespace(@TempDir Path directory) {
    RegisterStore store = new InMemoryRegisterStore();
    Path nowhere = directory.resolve("none");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("carry-over", nowhere.toString())).leased(lease(store)))
        .withMessage(
            "carryOver: "
                + nowhere.resolve("orders.carry-over")
                + " (expected: a regular file or a new one in an existing directory)");
    GeneratorSettings read = settings(Map.of("carry-over", directory));
    try (Snowflake generator = read.leased(lease(store)).build()) {
      assertThat(generator.nextId()).isPositive();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "window | 99ms | window: 99ms (expected: 100ms..24h)",
        "acquire-timeout | 25h | acquireTimeout: 25h (expected: 0ms..24h)",
        "max-clock-skew | 25h | maxClockSkew: 25h (expected: 0ms..24h)",
        "max-split | 25h | maxSplit: 25h (expected: 0ms..24h)",
        "instance | a b | instance: a b (expected: 1..100 visible ASCII characters)",
      })
  void passesTheSettingsOfALeaseToIt(String key, String text, String message) {
    RegisterStore store = new InMemoryRegisterStore();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of(key, text)).leased(lease(store)))
        .withMessage(message);
    assertThat(lease(store).build().windowMillis()).isEqualTo(30_000);
  }

  @Test
  void leasesUnderTheNameOfTheProcess() {
    RegisterStore store = new InMemoryRegisterStore();
    try (Snowflake generator =
        settings(Map.of("instance", "till-3")).leased(lease(store)).build()) {
      assertThat(generator.nextId()).isPositive();
      assertThat(Namespace.of(store, "orders").workers())
          .singleElement()
          .hasFieldOrPropertyWithValue("holder", "till-3");
    }
  }

  @Test
  void leasesAnyWorkerWhereTheInheritedSettingsNameOne() {
    RegisterStore store = new InMemoryRegisterStore();
    for (String inherited : List.of("worker=ordinal", "worker=7")) {
      GeneratorSettings read = inheriting("worker=lease", inherited);
      assertThat(read.worker()).hasToString("lease");
      assertThat(read.pinnedWorker()).isEmpty();
    }
    GeneratorSettings region =
        settings(Map.of("layout", "region", "datacenter", "3", "worker", "lease"));
    try (Snowflake generator = region.leased(lease(store)).build()) {
      assertThat(IdLayout.REGION.parse(generator.nextId()).datacenter()).isEqualTo(3);
      assertThat(Namespace.of(store, "orders").homes()).hasToString("3");
    }
    settings(Map.of("layout", "twitter", "worker", "lease")).checkWorker();
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "ordinal"})
  void needsTheDatacenterOfAWorkerWhereTheLayoutHasOne(String worker) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("layout", "twitter", "worker", worker)).checkWorker())
        .withMessage("datacenter: not set (expected: both datacenter and worker)");
  }

  @Test
  void leasesAnyWorkerOfADatacenter() {
    RegisterStore store = new InMemoryRegisterStore();
    GeneratorSettings read = settings(Map.of("layout", "region", "datacenter", "3"));
    assertThat(read.pinnedWorker()).isEmpty();
    try (Snowflake generator = read.leased(lease(store)).build()) {
      assertThat(IdLayout.REGION.parse(generator.nextId()).datacenter()).isEqualTo(3);
      assertThat(Namespace.of(store, "orders").homes()).hasToString("3");
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> settings(Map.of("layout", "region", "datacenter", "8")).checkWorker())
        .withMessage("datacenter: 8 (expected: 0..7, the layout has 3 datacenter bits)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read.fixed().build())
        .withMessageStartingWith("worker: not set");
  }

  @ParameterizedTest
  @ValueSource(strings = {"lease", "5", "ordinal"})
  void refusesADatacenterThatTheLayoutDoesNotHave(String worker) {
    for (String datacenter : List.of("0", "1")) {
      GeneratorSettings read = settings(Map.of("datacenter", datacenter, "worker", worker));
      String message =
          "datacenter: " + datacenter + " (expected: none, the layout is " + IdLayout.CLASSIC + ")";
      assertThatIllegalArgumentException().isThrownBy(read::checkWorker).withMessage(message);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> read.leased(lease(new InMemoryRegisterStore()), () -> 7))
          .withMessage(message);
    }
  }

  @Test
  void leasesTheOrdinalOfItsPod() {
    GeneratorSettings read = settings(Map.of("worker", "ordinal"));
    assertThat(read.worker()).isEqualTo(WorkerNumber.ORDINAL).hasToString("ordinal");
    assertThat(ordinal(read, Map.of("HOSTNAME", "orders-7")::get)).hasValue(7);
    assertThat(ordinal(read, Map.of("POD_INDEX", "5", "HOSTNAME", "orders-7")::get)).hasValue(5);
    GeneratorSettings region =
        settings(Map.of("worker", "ordinal", "layout", "region", "datacenter", "3"));
    assertThat(ordinal(region, Map.of("POD_NAME", "a-7", "HOSTNAME", "a-8")::get))
        .hasValue(3 << 7 | 7);
  }

  @Test
  void refusesAPathThatNoFileSystemHas() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Setting.CARRY_OVER.parse("a\0b"))
        .withMessage("carry-over: a\0b (expected: a path)");
  }

  @Test
  void refusesAnOrdinalThatIsNone() {
    GeneratorSettings read = settings(Map.of("worker", "ordinal"));
    for (String host : List.of("web", "web7", "orders-7d9f8b6c5d-x2x4z", "orders-")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ordinal(read, Map.of("HOSTNAME", host)::get))
          .withMessage(
              "worker: ordinal (expected: a number in POD_INDEX, or at the end of POD_NAME or"
                  + " HOSTNAME, as a StatefulSet's pods have; HOSTNAME is "
                  + host
                  + ")");
    }
    for (String index : List.of("-3", "3a", " ", "1234567890")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ordinal(read, Map.of("POD_INDEX", index, "POD_NAME", "orders-7")::get))
          .withMessage(
              "worker: ordinal (expected: 0..999999999 in POD_INDEX, or none; it is "
                  + index
                  + ")");
    }
    assertThat(ordinal(read, Map.of("POD_INDEX", "", "POD_NAME", "orders-7")::get)).hasValue(7);
    assertThat(ordinal(read, Map.of("HOSTNAME", "orders-1023")::get)).hasValue(1023);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ordinal(read, Map.of("HOSTNAME", "orders-1024")::get))
        .withMessage("worker: ordinal 1024 (expected: 0..1023, the layout has 10 worker bits)");
    assertThatIllegalArgumentException()
        .isThrownBy(read::fixed)
        .withMessage("worker: ordinal (expected: only with a lease)");
  }

  private static OptionalLong ordinal(
      GeneratorSettings settings, Function<String, @Nullable String> variables) {
    return settings.pinnedWorker(() -> WorkerNumber.ordinal(variables));
  }
}
