package io.firn.examples;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Path;

/** IDs of a region whose store has no link to those of other regions. */
public final class Regions {

  private Regions() {}

  /** Prints the datacenter of an ID. */
  public static void main(String[] args) {
    RegisterStore store = FileRegisterStore.open(Path.of(args[0]));
    // begin regions
    LeaseConfig lease = LeaseConfig.builder(store, "orders").datacenter(3).build();
    try (Snowflake orders = Snowflake.builder().layout(IdLayout.REGION).lease(lease).build()) {
      System.out.println("datacenter " + orders.layout().parse(orders.nextId()).datacenter());
    }
    // end
  }
}
