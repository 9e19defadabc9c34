package io.firn.examples;

import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.micrometer.GeneratorMeters;
import io.firn.micrometer.LeaseCounts;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.file.Path;

/** The meters of a generator and its lease, in a registry of Micrometer. */
public final class Meters {

  private Meters() {}

  /** Prints how many IDs were issued and how often a worker ID was leased. */
  public static void main(String[] args) {
    RegisterStore store = FileRegisterStore.open(Path.of(args[0]));
    MeterRegistry registry = new SimpleMeterRegistry();
    // begin meters
    LeaseCounts leases = new LeaseCounts();
    LeaseConfig lease = LeaseConfig.builder(store, "orders").listener(leases).build();
    try (Snowflake orders = Snowflake.builder().lease(lease).build()) {
      GeneratorMeters.of("orders", orders).bindTo(registry);
      GeneratorMeters.of("orders", leases).bindTo(registry);
      orders.nextIds(new long[100]);
      print(registry);
    }
    // end
  }

  private static void print(MeterRegistry registry) {
    System.out.println(registry.get("firn.issued").functionCounter().count() + " IDs issued");
    System.out.println(
        registry.get("firn.lease.renewals").tag("outcome", "acquired").functionCounter().count()
            + " worker IDs leased");
  }
}
