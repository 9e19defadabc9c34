package io.firn.cli;

import io.firn.block.BlockJob;
import io.firn.block.IdBlocks;
import io.firn.json.Json;
import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the jobs that named blocks of IDs. */
@Command(name = "blocks", description = "Show the jobs that reserved named blocks of IDs.")
final class BlocksCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin StoreOptions options = new StoreOptions();

  @Option(names = "--json", description = "One JSON object a line.")
  boolean json;

  BlocksCommand(Shell shell) {
    this.shell = shell;
  }

  /** A job of a namespace. */
  private record Row(String namespace, BlockJob job) {

    String text() {
      return line(
          job.created(), job.blocks(), job.ids(), state(), namespace, job.name(), job.shape());
    }

    String json() {
      return Json.object(this::members) + "\n";
    }

    private void members(Json object) throws IOException {
      object
          .text("namespace", namespace)
          .text("job", job.name())
          .text("shape", job.shape())
          .text("state", state())
          .time("created", job.created())
          .number("blocks", job.blocks())
          .id("ids", job.ids());
    }

    private String state() {
      return job.forgotten() ? "forgotten" : "open";
    }
  }

  @Override
  public Integer call() throws IOException {
    try (RegisterStore store = options.open(shell)) {
      List<Row> rows = new ArrayList<>();
      for (String namespace : options.namespacesOf(store)) {
        jobs(store, namespace).forEach(job -> rows.add(new Row(namespace, job)));
      }
      if (rows.isEmpty() && !json) {
        shell.err().println("No job has reserved a named block yet in " + store + ".");
      } else if (!json) {
        shell.print(line("created", "blocks", "IDs", "state", "namespace", "job", "shape"));
      }
      for (Row row : rows) {
        shell.print(json ? row.json() : row.text());
      }
    }
    shell.out().flush();
    return 0;
  }

  /** Returns the jobs of a namespace; none if there is no such namespace. */
  static List<BlockJob> jobs(RegisterStore store, String namespace) {
    return Namespace.of(store, namespace).layout().isEmpty()
        ? List.of()
        : IdBlocks.of(store, namespace).jobs();
  }

  private static String line(Object... cells) {
    return String.format(Locale.ROOT, "%-24s  %7s  %16s  %-9s  %-16s  %-24s  %s\n", cells);
  }
}
