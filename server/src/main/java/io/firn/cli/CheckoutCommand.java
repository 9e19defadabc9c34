package io.firn.cli;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A command that the launcher of a checkout runs out of another jar. */
abstract class CheckoutCommand implements Callable<Integer> {

  @Spec @Nullable CommandSpec spec;

  @Parameters(
      paramLabel = "ARGUMENT",
      arity = "0..*",
      description = "The arguments of the" + " command; see its --help.")
  List<String> arguments = List.of();

  @Override
  public Integer call() {
    String name = Objects.requireNonNull(spec).name();
    throw new BadInput(
        "command: "
            + name
            + ", which is not in this jar (expected: ./firn "
            + name
            + " in a checkout)");
  }

  /** The simulation. */
  @Command(
      name = "simulate",
      description = "Simulate leases and segments under faults; only in a checkout.")
  static final class Simulate extends CheckoutCommand {}

  /** The benchmarks. */
  @Command(name = "bench", description = "Measure Firn beside its peers; only in a checkout.")
  static final class Bench extends CheckoutCommand {}
}
