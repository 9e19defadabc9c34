package io.firn.cli;

import io.firn.SnowflakeBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where the worker ID of a generator comes from: here, from the command line. */
final class WorkerOptions {

  @Option(
      names = "--worker",
      paramLabel = "N",
      description = "The worker ID; no other live generator may have it.")
  @Nullable Long worker;

  @Option(
      names = "--datacenter",
      paramLabel = "N",
      description = "The datacenter, in layouts that have one.")
  @Nullable Long datacenter;

  /** Gives the generator its worker ID; without one, core refuses to build it. */
  void assign(SnowflakeBuilder generator) {
    if (worker != null) {
      generator.worker(worker);
    }
    if (datacenter != null) {
      generator.datacenter(datacenter);
    }
  }
}
