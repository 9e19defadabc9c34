package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.SnowflakeBuilder;
import io.firn.lease.LeaseConfig;
import io.firn.lease.RegisterStore;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Where the worker ID of a generator comes from: the command line, or a lease. With a store and a
 * number, that number is leased.
 */
final class WorkerOptions implements AutoCloseable {

  @Option(
      names = "--worker",
      paramLabel = "N",
      description = "The worker ID; no other live generator may have it. Leased unless given.")
  @Nullable Long worker;

  @Option(
      names = "--datacenter",
      paramLabel = "N",
      description = "The datacenter, in layouts that have one.")
  @Nullable Long datacenter;

  @Mixin StoreOptions store = new StoreOptions();

  private @Nullable RegisterStore opened;

  /** Whether anything about workers was given; a store alone is not. */
  boolean isGiven() {
    return worker != null || datacenter != null || store.namespace != null;
  }

  /** Gives the generator its worker ID, or has it leased. */
  void assign(SnowflakeBuilder generator, IdLayout layout, Shell shell) {
    boolean numbered = worker != null || datacenter != null;
    if (!numbered || store.isGiven()) {
      generator.lease(lease(layout, shell, numbered));
      return;
    }
    if (worker != null) {
      generator.worker(worker);
    }
    if (datacenter != null) {
      generator.datacenter(datacenter);
    }
  }

  private LeaseConfig lease(IdLayout layout, Shell shell, boolean numbered) {
    opened = store.open(shell);
    LeaseConfig.Builder lease = LeaseConfig.builder(opened, store.namespaceFor(layout));
    if (numbered) {
      lease.worker(workerId(layout));
    }
    return lease.build();
  }

  /** Call after the generator is closed, which gives its worker ID back. */
  @Override
  public void close() {
    if (opened != null) {
      opened.close();
    }
  }

  /** Datacenter and worker as one number, as leases count them. */
  private long workerId(IdLayout layout) {
    return layout.workerId(
        required(layout, Kind.DATACENTER, datacenter), required(layout, Kind.WORKER, worker));
  }

  private static long required(IdLayout layout, Kind kind, @Nullable Long value) {
    if (value == null && layout.field(kind).isPresent()) {
      throw new BadInput(kind.label() + ": not set (expected: both datacenter and worker)");
    }
    return value == null ? 0 : value;
  }
}
