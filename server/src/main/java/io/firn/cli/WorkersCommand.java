package io.firn.cli;

import io.firn.lease.LayoutChange;
import io.firn.lease.LayoutChange.Plan;
import io.firn.lease.Namespace;
import io.firn.lease.Namespace.Mark;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows who holds which worker ID. */
@Command(
    name = "workers",
    description = "Show which process holds which worker ID, and until when.")
final class WorkersCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin StoreOptions options = new StoreOptions();

  @Option(names = "--json", description = "One JSON object a line.")
  boolean json;

  WorkersCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    try (RegisterStore store = options.open(shell)) {
      WorkerTable table = new WorkerTable(shell.now(), shell.ansi());
      List<String> names = namespaces(store);
      Map<String, Mark> marks = Namespace.marks(store, names);
      Map<String, Plan> changes = LayoutChange.current(store, names);
      for (Map.Entry<String, List<WorkerEntry>> each : Namespace.workers(store, names).entrySet()) {
        String name = each.getKey();
        Optional<Mark> mark = Optional.ofNullable(marks.get(name));
        List<WorkerEntry> workers = each.getValue();
        Optional<Plan> change = Optional.ofNullable(changes.get(name));
        shell.print(json ? table.json(name, mark, workers) : table.of(name, mark, change, workers));
      }
    }
    shell.out().flush();
    return 0;
  }

  private List<String> namespaces(RegisterStore store) {
    List<String> names = options.namespacesThere(store);
    if (names.isEmpty() && !json) {
      shell.err().println("No worker ID has been leased yet in " + store + ".");
    }
    return names;
  }
}
