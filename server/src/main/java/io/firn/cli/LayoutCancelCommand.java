package io.firn.cli;

import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Calls the change of a namespace's layout off. */
@Command(
    name = "cancel",
    description =
        "Cancel a change of layout; possible until a process has issued IDs past its" + " time.")
final class LayoutCancelCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin LayoutChangeOptions options = new LayoutChangeOptions();

  LayoutCancelCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    options.run(
        shell,
        change ->
            shell.print(
                options.namespace
                    + ": stays with "
                    + Arguments.nameOf(change.callOff().from())
                    + "\n"));
    return 0;
  }
}
