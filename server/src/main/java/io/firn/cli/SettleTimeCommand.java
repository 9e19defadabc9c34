package io.firn.cli;

import io.firn.internal.IsoTime;
import io.firn.lease.Namespace;
import io.firn.lease.Namespace.Mark;
import io.firn.time.DurationText;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Changes the settling time of a namespace. */
@Command(
    name = "settle-time",
    description = {
      "Change the settling time of a namespace.",
      "No worker ID of it may be leased: set settle-time in all its processes first, then stop"
          + " them. To lower it, no ID may lead the clock, and the settling time since the last"
          + " loss must be over."
    })
final class SettleTimeCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin NamespaceAddress place = new NamespaceAddress();

  @Parameters(index = "1", paramLabel = "TIME", description = "The settling time, such as 2m.")
  @Nullable String time;

  SettleTimeCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    String text = Objects.requireNonNull(time);
    Duration settleTime =
        DurationText.parse(text)
            .orElseThrow(
                () ->
                    new BadInput(
                        "settle-time: " + text + " (expected: a time, as 90s or 2m or 1h)"));
    place.print(
        shell,
        place.open(shell),
        (namespace, store) -> describe(namespace, namespace.changeSettleTime(settleTime)));
    return 0;
  }

  /** Describes what a namespace has agreed on now. */
  static String describe(Namespace namespace, Optional<Mark> changed) {
    Mark mark =
        changed.orElseThrow(
            () ->
                new BadInput(
                    "namespace: "
                        + namespace.name()
                        + " (expected: one with a mark; the first process of a new one sets its"
                        + " agreement about losses)"));
    return "settling time "
        + HumanText.span(mark.since(), mark.settledAt())
        + ", new mark since "
        + IsoTime.utc(mark.since())
        + "; "
        + WorkerTable.newProcesses(mark, mark.since());
  }
}
