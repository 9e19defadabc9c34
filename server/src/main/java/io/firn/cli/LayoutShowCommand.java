package io.firn.cli;

import io.firn.lease.LayoutChange.Plan;
import java.io.IOException;
import java.time.Instant;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows the change of a namespace's layout. */
@Command(name = "show", description = "Show whether a namespace changes its layout, and when.")
final class LayoutShowCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin LayoutChangeOptions options = new LayoutChangeOptions();

  LayoutShowCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    Instant now = shell.now();
    options.run(
        shell,
        change ->
            shell.print(
                change
                    .current()
                    .map(plan -> options.describe(plan, now) + state(plan, now))
                    .orElse(options.namespace + ": no change of layout\n")));
    return 0;
  }

  private static String state(Plan plan, Instant now) {
    if (!plan.fixed()) {
      return "proposed, not fixed: all processes stop at that time; repeat firn layout change, or"
          + " firn layout cancel\n";
    }
    return now.isBefore(plan.at()) ? "fixed\n" : "in force\n";
  }
}
