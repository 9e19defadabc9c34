package io.firn.cli;

import io.firn.FirnException;
import io.firn.internal.IsoTime;
import io.firn.json.Json;
import io.firn.json.WatermarkJson;
import io.firn.lease.Watermark;
import io.firn.lease.Watermark.Reading;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows up to which ID every row is committed. */
@Command(
    name = "watermark",
    description = {
      "Show the ID up to which every row is committed or never will be, and what holds it back.",
      "The first call begins the watermark of the namespace permanently: its processes then"
          + " publish low marks with their renewals."
    })
final class WatermarkCommand implements Callable<Integer> {

  /** Those that decide come first. */
  private static final int MOST_HOLDERS = 5;

  private final Shell shell;

  @Parameters(paramLabel = "NAMESPACE", description = "The namespace.")
  @Nullable String namespace;

  @Mixin LeaseStoreOption store = new LeaseStoreOption();

  @Option(
      names = "--leave-out-reserved",
      description = "Leave out the IDs that other systems make with reserved worker IDs.")
  boolean leaveOutReserved;

  @Option(
      names = "--allow-may-forget",
      description = "Allow a store that may lose acknowledged writes.")
  boolean allowMayForget;

  @Option(
      names = "--published",
      description = "Only read the last published watermark; writes nothing.")
  boolean published;

  @Option(names = "--json", description = "One JSON object.")
  boolean json;

  WatermarkCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    String name = Objects.requireNonNull(namespace);
    try (RegisterStore opened = store.open(shell)) {
      Reading reading = current(opened, name);
      shell.print(
          json
              ? Json.object(new WatermarkJson(name, reading)::writeTo) + "\n"
              : text(name, reading));
    }
    shell.out().flush();
    return 0;
  }

  private Reading current(RegisterStore opened, String name) {
    try {
      Watermark.Builder watermark = Watermark.builder(opened, name).timeSource(shell.time());
      if (leaveOutReserved) {
        watermark.leaveOutReserved();
      }
      if (allowMayForget || published) { // which writes nothing
        watermark.allowMayForget();
      }
      Watermark built = watermark.build();
      return published
          ? built.published().orElseThrow(() -> new BadInput(noWatermark(name)))
          : built.current();
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    } catch (UnsupportedOperationException e) {
      throw new BadInput(
          String.valueOf(e.getMessage()).replace("allowMayForget()", "--allow-may-forget"));
    } catch (IllegalStateException e) {
      throw new FirnException(
          String.valueOf(e.getMessage())
              .replace(
                  "ask for a watermark that leaves reserved ones out", "add --leave-out-reserved"),
          e);
    }
  }

  private static String noWatermark(String name) {
    return "namespace: "
        + name
        + " (expected: one with a watermark; without --published, firn watermark begins one)";
  }

  private static String text(String name, Reading reading) {
    StringBuilder text = new StringBuilder(name).append(": ");
    if (reading.id() == 0) {
      text.append(
          "none yet, for a worker ID was leased or a layout changed a short time ago; ask again\n");
    } else {
      text.append(reading.id())
          .append(", before ")
          .append(IsoTime.utc(reading.before()))
          .append(", ")
          .append(seconds(reading.lag()))
          .append(" behind the clock\n");
    }
    reading.heldBackBy().stream()
        .limit(MOST_HOLDERS)
        .forEach(holder -> text.append("  ").append(line(holder)).append('\n'));
    int more = reading.heldBackBy().size() - MOST_HOLDERS;
    return more > 0 ? text + "  and " + more + " with later low marks\n" : text.toString();
  }

  private static String line(WorkerEntry holder) {
    return "worker "
        + holder.worker()
        + " of "
        + holder.holder()
        + ", process "
        + holder.pid()
        + holder
            .low()
            .map(low -> ": low mark " + IsoTime.utc(low))
            .orElse(
                ": no low mark yet, leased since "
                    + holder.since().map(IsoTime::utc).orElse("an unknown time"));
  }

  private static String seconds(Duration lag) {
    return HumanText.amount(lag.toMillis() / 1e3) + " s";
  }
}
