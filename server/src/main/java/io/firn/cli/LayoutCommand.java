package io.firn.cli;

import io.firn.IdLayout;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Shows what a layout can hold. */
@Command(
    name = "layout",
    description =
        "Show a layout: its bits, its capacity and its end; all named ones if none is given.",
    footer = {
      "",
      "With change, show and cancel: the layout of a namespace, which can be changed while its"
          + " processes run."
    })
final class LayoutCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(
      paramLabel = "NAME|SPEC",
      arity = "0..1",
      completionCandidates = Arguments.LayoutNames.class,
      description = "A name, or a form such as 41t+10w+12s@2026-01-01T00:00:00Z/1ms.")
  @Nullable IdLayout layout;

  LayoutCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    shell.print(
        layout == null
            ? new LayoutTable(shell.now(), shell.ansi(), shell.columns()).toString()
            : new LayoutReport(layout, shell.now(), shell.ansi(), shell.columns()).toString());
    shell.out().flush();
    return 0;
  }
}
