package io.firn.cli;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.SnowflakeBuilder;
import io.firn.text.IdFormat;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Issues IDs. */
@Command(name = "next", description = "Issue IDs, one a line.")
final class NextCommand implements Callable<Integer> {

  private final Shell shell;

  @Option(
      names = {"-n", "--count"},
      paramLabel = "COUNT",
      description = "How many; 1 unless given.")
  Count count = new Count(1);

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

  NextCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    try (worker;
        Snowflake generator = generator()) {
      new IdStream(generator, format, shell.out()).write(count.value());
    }
    return 0;
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
