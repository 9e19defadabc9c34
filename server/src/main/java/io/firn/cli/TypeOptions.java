package io.firn.cli;

import io.firn.key.KeyGenerator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;

/** A generator that is known by the name of its type, and has properties instead of options. */
final class TypeOptions {

  private static final Set<String> BESIDE = Set.of("--type", "--property", "--count", "--trace");

  @Option(
      names = "--type",
      paramLabel = "TYPE",
      completionCandidates = TypeArgument.class,
      description = "${COMPLETION-CANDIDATES}, without the options of snowflakes.")
  @Nullable String type;

  @Option(
      names = "--property",
      paramLabel = "NAME=VALUE",
      description = "What the generator of that type is to be like.")
  Map<String, String> properties = new LinkedHashMap<>();

  boolean isGiven() {
    return type != null || !properties.isEmpty();
  }

  /** Starts it, unless another option was given that it would not heed. */
  KeyGenerator open(CommandSpec command) {
    if (type == null) {
      throw new BadInput("property: without a type (expected: beside --type)");
    }
    command.commandLine().getParseResult().matchedOptions().stream()
        .map(OptionSpec::longestName)
        .filter(name -> !BESIDE.contains(name))
        .findFirst()
        .ifPresent(
            name -> {
              throw new BadInput("option: " + name + " (expected: none beside --type)");
            });
    try {
      return KeyGenerator.open(type, properties);
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }
}
