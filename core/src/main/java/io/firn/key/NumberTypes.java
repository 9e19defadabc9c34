package io.firn.key;

import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.Snowflake;
import io.firn.SnowflakeBuilder;
import io.firn.lease.LeaseConfig;
import io.firn.lease.RegisterSegments;
import io.firn.lease.RegisterStore;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentGeneratorBuilder;
import java.time.Duration;
import java.util.Optional;

/** How the properties of {@code snowflake} and {@code segment} become generators. */
final class NumberTypes {

  private NumberTypes() {}

  static KeyGenerator snowflake(KeyProperties properties) {
    properties.allow(
        "layout",
        "worker",
        "datacenter",
        "store",
        "namespace",
        "format",
        "max-wait-millis",
        "sequence-start");
    return NumberKeys.open(
        properties,
        store -> {
          Snowflake ids = snowflake(properties, store);
          return new NumberKeys.Source(ids, ids::close);
        });
  }

  private static Snowflake snowflake(KeyProperties properties, Optional<RegisterStore> store) {
    IdLayout layout = properties.text("layout").map(IdLayout::of).orElse(IdLayout.CLASSIC);
    SnowflakeBuilder builder = Snowflake.builder().layout(layout);
    properties.number("max-wait-millis").map(Duration::ofMillis).ifPresent(builder::maxWait);
    properties.text("sequence-start").map(SequenceStart::of).ifPresent(builder::sequenceStart);
    if (store.isPresent()) {
      return builder.lease(lease(properties, store.get(), layout)).build();
    }
    refuseNamespace(properties);
    properties.number("worker").ifPresent(builder::worker);
    properties.number("datacenter").ifPresent(builder::datacenter);
    return builder.build();
  }

  private static void refuseNamespace(KeyProperties properties) {
    properties
        .text("namespace")
        .ifPresent(
            namespace -> {
              throw new IllegalArgumentException(
                  "namespace: " + namespace + " (expected: with a store)");
            });
  }

  private static LeaseConfig lease(KeyProperties properties, RegisterStore store, IdLayout layout) {
    LeaseConfig.Builder lease = LeaseConfig.builder(store, properties.required("namespace"));
    properties
        .number("worker")
        .map(worker -> layout.workerId(properties.number("datacenter").orElse(0L), worker))
        .ifPresent(lease::worker);
    return lease.build();
  }

  static KeyGenerator segment(KeyProperties properties) {
    properties.allow("key", "step", "store", "format").required("store");
    return NumberKeys.open(
        properties,
        store -> {
          SegmentGenerator ids = segment(properties, store.orElseThrow());
          return new NumberKeys.Source(ids, ids::close);
        });
  }

  private static SegmentGenerator segment(KeyProperties properties, RegisterStore store) {
    SegmentGeneratorBuilder builder =
        SegmentGenerator.builder(RegisterSegments.of(store), properties.required("key"));
    properties.number("step").ifPresent(builder::step);
    return builder.build();
  }
}
