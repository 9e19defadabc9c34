package io.firn.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Watermark;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentGenerator;
import io.firn.store.InMemoryRegisterStore;
import io.firn.testkit.ManualTimeSource;
import io.firn.testkit.SwitchedStore;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class GeneratorMetersTest {

  private static final Path DOCS = Path.of("../../docs/operating/metrics.md");
  private static final Pattern SAMPLE =
      Pattern.compile("^(firn_\\w+)\\{[^}]*namespace=", Pattern.MULTILINE);

  private static final Pattern ROW =
      Pattern.compile("^\\| `(firn_\\w+)\\{namespace\\b", Pattern.MULTILINE);

  /** Stands between the table of generators and that of the server. */
  private static final String SERVER = "The\nserver has these as well:";

  private final MeterRegistry meters = new SimpleMeterRegistry();

  @Test
  void readsWhatASnowflakeCounts() {
    ManualTimeSource time = new ManualTimeSource(IdLayout.CLASSIC.epoch().plusSeconds(60));
    Snowflake ids = Snowflake.builder().worker(3).maxLead(Duration.ZERO).timeSource(time).build();
    GeneratorMeters.of("orders", ids).bindTo(meters);

    ids.nextIds(new long[7]);
    time.step(Duration.ofMillis(-500));
    ids.nextId();
    assertThat(counter("firn.issued")).isEqualTo(8);
    assertThat(counter("firn.waits")).isEqualTo((double) ids.stats().waits()).isPositive();
    assertThat(counter("firn.clock.steps"))
        .isEqualTo((double) ids.stats().clockSteps())
        .isPositive();

    time.step(Duration.ofMillis(-250));
    assertThat(gauge("firn.lead")).isEqualTo(0.25);
    assertThat(gauge("firn.layout.remaining"))
        .isEqualTo(ids.stats().timeToExpiry().toMillis() / 1000.0);
  }

  @Test
  void showsNoLeaseOfAFixedWorker() {
    Snowflake ids = Snowflake.builder().worker(3).build();
    GeneratorMeters.of("orders", ids).bindTo(meters);

    assertThat(meters.getMeters())
        .extracting(meter -> meter.getId().getName())
        .contains("firn.issued")
        .noneMatch(name -> name.startsWith("firn.lease") || name.startsWith("firn.worker"));
  }

  @Test
  void readsTheLeaseAndCountsItsEvents() {
    ManualTimeSource time = new ManualTimeSource(IdLayout.CLASSIC.epoch().plusSeconds(60));
    LeaseCounts leases = new LeaseCounts();
    LeaseConfig lease =
        LeaseConfig.builder(new InMemoryRegisterStore(), "orders")
            .worker(9)
            .window(Duration.ofMinutes(1))
            .listener(leases)
            .build();
    try (Snowflake ids = Snowflake.builder().lease(lease).timeSource(time).build()) {
      GeneratorMeters.of("orders", ids).bindTo(meters);
      GeneratorMeters.of("orders", leases).bindTo(meters);

      assertThat(gauge("firn.worker.id")).isEqualTo(9);
      double remaining = gauge("firn.lease.remaining");
      assertThat(remaining).isBetween(1.0, 60.0);
      time.step(Duration.ofMillis(500));
      assertThat(gauge("firn.lease.remaining")).isEqualTo(remaining - 0.5);
      assertThat(gauge("firn.watermark.lag")).as("without a watermark").isNaN();
      assertThat(renewals("acquired")).isEqualTo(1);

      leases.renewed(ids.leaseStatus().orElseThrow());
      leases.renewed(ids.leaseStatus().orElseThrow());
      leases.renewed(ids.leaseStatus().orElseThrow());
      leases.lost(ids.leaseStatus().orElseThrow());
      leases.lost(ids.leaseStatus().orElseThrow());
      assertThat(renewals("renewed")).isEqualTo(3);
      assertThat(renewals("lost")).isEqualTo(2);
      assertThat(renewals("expired")).isZero();
      leases.expired(ids.leaseStatus().orElseThrow());
      assertThat(renewals("expired")).isEqualTo(1);
    }
  }

  @Test
  void showsHowFarTheWatermarkIsBehind() {
    InMemoryRegisterStore store = new InMemoryRegisterStore();
    try (Snowflake first = Snowflake.builder().lease(store, "outbox").build()) {
      first.nextId();
      Watermark.of(store, "outbox").current();
      try (Snowflake ids = Snowflake.builder().lease(store, "outbox").build()) {
        GeneratorMeters.of("outbox", ids).bindTo(meters);

        assertThat(gauge("firn.watermark.lag")).isPositive();
      }
    }
  }

  @Test
  void readsWhatSegmentsCount() {
    SwitchedStore store = new SwitchedStore();
    try (SegmentGenerator ids =
        SegmentGenerator.builder(RegisterSegments.builder(store).build(), "invoices")
            .maxWait(Duration.ofSeconds(60))
            .build()) {
      GeneratorMeters.of("invoices", ids).bindTo(meters);
      ids.nextIds(new long[5]);

      assertThat(counter("firn.issued")).isEqualTo(5);
      assertThat(gauge("firn.segment.left")).isEqualTo((double) ids.stats().left());
      assertThat(counter("firn.segment.waits")).isEqualTo((double) ids.stats().waits());
      assertThat(fetches("given")).isPositive();
      assertThat(fetches("failed")).isZero();
    }
  }

  @Test
  void countsFailedFetches() {
    SwitchedStore store = new SwitchedStore();
    store.down(true);
    try (SegmentGenerator ids =
        SegmentGenerator.builder(RegisterSegments.builder(store).build(), "invoices")
            .maxWait(Duration.ofMillis(50))
            .build()) {
      GeneratorMeters.of("invoices", ids).bindTo(meters);
      assertThatExceptionOfType(FirnException.class).isThrownBy(ids::nextId);
      assertThat(fetches("failed")).isPositive();
      assertThat(fetches("given")).isZero();
    }
  }

  @Test
  void showsNothingIssuedBeforeAGeneratorIsOpen() {
    AtomicReference<Snowflake> opened = new AtomicReference<>();
    GeneratorMeters.bindSnowflake(
        meters, "orders", opened, now -> Optional.ofNullable(now.get()).map(Snowflake::stats));
    assertThat(counter("firn.issued")).isZero();
    assertThat(gauge("firn.lead")).isNaN();

    opened.set(Snowflake.builder().worker(3).build());
    opened.get().nextId();
    assertThat(counter("firn.issued")).isEqualTo(1);
    assertThat(gauge("firn.lead")).isNotNaN();
  }

  /** Also pins every name: dashboards and alerts are written with them. */
  @Test
  void documentsEveryMeter() throws IOException {
    PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    Snowflake ids = Snowflake.builder().worker(3).build();
    GeneratorMeters.bindSnowflake(prometheus, "a", ids, from -> Optional.of(from.stats()));
    GeneratorMeters.bindLease(prometheus, "a", ids, Snowflake::leaseStatus);
    GeneratorMeters.of("a", new LeaseCounts()).bindTo(prometheus);
    GeneratorMeters.bindSegments(prometheus, "b", ids, from -> Optional.empty());

    String docs = Files.readString(DOCS);
    assertThat(docs).contains(SERVER);
    assertThat(all(SAMPLE, prometheus.scrape()))
        .isEqualTo(all(ROW, docs.substring(0, docs.indexOf(SERVER))));
    assertThat(prometheus.getMeters())
        .extracting(Meter::getId)
        .allSatisfy(id -> assertThat(id.getDescription()).isNotBlank());
  }

  private static Set<String> all(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private double counter(String name) {
    return meters.get(name).functionCounter().count();
  }

  private double gauge(String name) {
    return meters.get(name).gauge().value();
  }

  private double renewals(String outcome) {
    return meters.get("firn.lease.renewals").tag("outcome", outcome).functionCounter().count();
  }

  private double fetches(String outcome) {
    return meters.get("firn.segment.fetches").tag("outcome", outcome).functionCounter().count();
  }
}
