package io.firn.cli;

import io.firn.IdLayout;
import io.firn.lease.LayoutChange.Plan;
import java.io.IOException;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Changes the layout of a namespace. */
@Command(
    name = "change",
    description = {
      "Change the layout of a namespace at a point in time, while its processes run.",
      "Processes that know both layouts switch over; those that know only the old one stop."
          + " Refused if a new ID could"
          + " equal an old one."
    })
final class LayoutChangeCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin LayoutChangeOptions options = new LayoutChangeOptions();

  @Option(
      names = "--to",
      paramLabel = "NAME|SPEC",
      required = true,
      completionCandidates = Arguments.LayoutNames.class,
      description = "The new layout.")
  @Nullable IdLayout to;

  @Option(
      names = "--at",
      paramLabel = "T",
      required = true,
      description = "When IDs of the new layout begin, an instant or a day in UTC.")
  @Nullable Instant at;

  @Option(
      names = "--apply",
      description = "Write the change; without this flag it is only checked.")
  boolean apply;

  @Option(
      names = "--allow-may-forget",
      description = "Change it in a store that may lose the change, such as Redis.")
  boolean allowMayForget;

  LayoutChangeCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    IdLayout layout = Objects.requireNonNull(to);
    Instant time = Objects.requireNonNull(at);
    options.run(
        shell,
        change -> {
          Plan plan =
              apply
                  ? change.apply(layout, time, allowMayForget)
                  : change.check(layout, time, allowMayForget);
          shell.print(
              options.describe(plan, shell.now())
                  + (apply ? "fixed\n" : "nothing was written; --apply writes it\n"));
        });
    return 0;
  }
}
