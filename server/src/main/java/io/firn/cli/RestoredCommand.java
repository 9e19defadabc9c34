package io.firn.cli;

import io.firn.internal.IsoTime;
import io.firn.lease.Namespace;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentEntry;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a new mark in the namespaces of a store. */
@Command(
    name = "restored",
    description = {
      "Write a new mark in every namespace, after the store was restored.",
      "Until its settling time ends, new processes lead the clock or wait. Counters refuse until"
          + " they are raised. Run this before clients can connect again."
    })
final class RestoredCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(paramLabel = "ADDRESS", description = "The address of the store.")
  @Nullable String address;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      description = "Only this namespace; by default, all of the store.")
  @Nullable String namespace;

  RestoredCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    try (RegisterStore store = StoreOptions.open(shell, Objects.requireNonNull(address))) {
      if (store.snapshot(List.of()).isEmpty()) {
        throw new BadInput(
            "store: "
                + store
                + " (expected: one with an identity; here stop the processes, restore, wait for a"
                + " window, start them)");
      }
      RegisterSegments segments = RegisterSegments.of(store);
      List<String> keys = keys(segments);
      for (String name : namespaces(store, keys)) {
        shell.print(name + ": " + renewed(Namespace.of(store, name)) + "\n");
      }
      for (String key : keys) {
        segments.refuseUntilRaised(key);
        shell.print(key + ": counter refuses until firn segments --raise " + key + "=N\n");
      }
    }
    shell.out().flush();
    return 0;
  }

  private List<String> namespaces(RegisterStore store, List<String> keys) {
    List<String> names = Namespace.names(store);
    List<String> wanted = names.stream().filter(this::isWanted).toList();
    if (namespace != null && wanted.isEmpty() && keys.isEmpty()) {
      throw new BadInput(
          "namespace: " + namespace + " (expected: one of the store: " + names + ")");
    }
    if (wanted.isEmpty() && keys.isEmpty()) {
      shell.err().println("No worker ID has been leased yet in " + store + ".");
    }
    return wanted;
  }

  private List<String> keys(RegisterSegments segments) {
    return segments.entries().stream().map(SegmentEntry::key).filter(this::isWanted).toList();
  }

  private boolean isWanted(String name) {
    return namespace == null || namespace.equals(name);
  }

  private static String renewed(Namespace restored) {
    return restored
        .renewMark()
        .map(
            mark ->
                "new mark since "
                    + IsoTime.utc(mark.since())
                    + "; "
                    + WorkerTable.newProcesses(mark, mark.since()))
        .orElse("no mark; its next process writes one");
  }
}
