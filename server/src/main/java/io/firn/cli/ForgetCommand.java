package io.firn.cli;

import io.firn.block.IdBlocks;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Frees the name of a job. */
@Command(
    name = "forget",
    description = {
      "Forget a job, so that its name can be used again with any shape.",
      "Its IDs are never issued again: a rerun of the job gives its rows different IDs."
    })
final class ForgetCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(paramLabel = "JOB", description = "The name of the job.")
  @Nullable String job;

  @Mixin StoreOptions options = new StoreOptions();

  ForgetCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    String name = Objects.requireNonNull(job);
    try (RegisterStore store = options.open(shell)) {
      List<String> holding =
          options.namespacesOf(store).stream().filter(each -> isOpen(store, each, name)).toList();
      if (holding.size() != 1) {
        throw new BadInput(
            "job: "
                + name
                + " (expected: one that is open"
                + (holding.isEmpty() ? "" : " in one namespace; give --namespace, of " + holding)
                + ")");
      }
      IdBlocks.of(store, holding.get(0)).forget(name);
      shell.print("job " + name + " of " + holding.get(0) + " is forgotten\n");
    }
    shell.out().flush();
    return 0;
  }

  private static boolean isOpen(RegisterStore store, String namespace, String name) {
    return BlocksCommand.jobs(store, namespace).stream()
        .anyMatch(job -> job.name().equals(name) && !job.forgotten());
  }
}
