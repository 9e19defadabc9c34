package io.firn.cli;

import io.firn.lease.AfterLoss;
import java.io.IOException;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Changes what new processes of a namespace do after a loss. */
@Command(
    name = "after-loss",
    description = {
      "Change what new processes of a namespace do after a loss of writes.",
      "No worker ID of it may be leased: set after-loss in all its processes first, then stop them."
          + " No ID may lead the clock, and the settling time since the last loss must be over."
    })
final class AfterLossCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin NamespaceAddress place = new NamespaceAddress();

  @Parameters(
      index = "1",
      paramLabel = "CHOICE",
      description = "What new processes do: ahead or wait.")
  @Nullable String choice;

  AfterLossCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    AfterLoss afterLoss = AfterLoss.of(Objects.requireNonNull(choice));
    place.print(
        shell,
        place.open(shell),
        (namespace, store) ->
            SettleTimeCommand.describe(namespace, namespace.changeAfterLoss(afterLoss)));
    return 0;
  }
}
