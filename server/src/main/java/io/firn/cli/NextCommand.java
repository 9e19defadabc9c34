package io.firn.cli;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.SnowflakeBuilder;
import io.firn.key.KeyGenerator;
import io.firn.lease.RegisterSegments;
import io.firn.lease.RegisterStore;
import io.firn.segment.SegmentGenerator;
import io.firn.text.IdFormat;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Issues IDs. */
@Command(name = "next", description = "Issue IDs, one a line.")
final class NextCommand implements Callable<Integer> {

  /** More than a store takes to say that it is not there. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(10);

  private final Shell shell;

  @Spec @Nullable CommandSpec spec;

  @Option(
      names = {"-n", "--count"},
      paramLabel = "COUNT",
      description = "How many; 1 unless given.")
  Count count = new Count(1);

  @Mixin final TypeOptions type = new TypeOptions();

  @Option(
      names = "--layout",
      paramLabel = "NAME|SPEC",
      completionCandidates = LayoutArgument.class,
      description = "The layout of the IDs; classic unless given.")
  IdLayout layout = IdLayout.CLASSIC;

  @Mixin final WorkerOptions worker = new WorkerOptions();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      completionCandidates = FormatArgument.class,
      description = "${COMPLETION-CANDIDATES}; decimal unless given.")
  IdFormat format = IdFormat.DECIMAL;

  @Option(
      names = "--allow-under-ten-years",
      description = "Accept a layout that ends in under ten years.")
  boolean allowUnderTenYears;

  @Option(
      names = "--segment",
      paramLabel = "KEY",
      description = "Count instead: take the numbers of this key of the store.")
  @Nullable String segment;

  NextCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    if (type.isGiven()) {
      writeKeys();
    } else if (segment != null) {
      writeNumbers(segment);
    } else {
      writeIds();
    }
    return 0;
  }

  private void writeKeys() throws IOException {
    try (KeyGenerator generator = type.open(Objects.requireNonNull(spec))) {
      new KeyStream(generator, shell.out()).write(count.value());
    }
  }

  private void writeNumbers(String key) throws IOException {
    if (worker.isGiven() || allowUnderTenYears || !layout.equals(IdLayout.CLASSIC)) {
      throw new BadInput(
          "segment: " + key + " (expected: no layout, worker or namespace beside it)");
    }
    try (RegisterStore store = worker.store.open(shell);
        SegmentGenerator generator = numbers(store, key)) {
      new IdStream(generator, count.value(), format, shell.out()).write(count.value());
    }
  }

  private static SegmentGenerator numbers(RegisterStore store, String key) {
    try {
      return SegmentGenerator.builder(RegisterSegments.of(store), key).maxWait(MAX_WAIT).build();
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }

  private void writeIds() throws IOException {
    try (worker;
        Snowflake generator = generator()) {
      new IdStream(generator, format, shell.out()).write(count.value());
    }
  }

  private Snowflake generator() {
    SnowflakeBuilder builder = Snowflake.builder().layout(layout).timeSource(shell.time());
    try {
      if (allowUnderTenYears) {
        builder.allowUnderTenYears();
      }
      worker.assign(builder, layout, shell);
      return builder.build();
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }
}
