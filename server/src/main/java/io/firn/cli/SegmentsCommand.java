package io.firn.cli;

import io.firn.internal.Require;
import io.firn.json.Json;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentEntry;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows the counters that segments come from, and moves them on. */
@Command(name = "segments", description = "Show the counters of segments, or raise one.")
final class SegmentsCommand implements Callable<Integer> {

  private final Shell shell;

  @Mixin LeaseStoreOption options = new LeaseStoreOption();

  @Option(
      names = "--namespace",
      paramLabel = "KEY",
      description = "Show the counter of this key only.")
  @Nullable String namespace;

  @Option(
      names = "--raise",
      paramLabel = "KEY=N",
      description =
          "Make N the next number of a key; a counter that is already higher keeps its" + " value.")
  Map<String, Long> raised = new LinkedHashMap<>();

  @Option(names = "--json", description = "One JSON object a line.")
  boolean json;

  SegmentsCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    if (namespace != null) {
      refuseFilter(namespace);
    }
    if (!raised.isEmpty()) {
      StoreOptions.requireLasting(shell, options.given);
    }
    raise(RegisterSegments.of(new InMemoryRegisterStore())); // no store is made for bad input
    try (RegisterStore store =
        raised.isEmpty() ? options.open(shell) : options.openOrCreate(shell)) {
      RegisterSegments segments = RegisterSegments.of(store);
      raise(segments);
      List<SegmentEntry> counters =
          segments.entries().stream().filter(counter -> isWanted(counter.key())).toList();
      if (counters.isEmpty() && !json) {
        String wanted = namespace == null ? "" : " of key " + namespace;
        shell.err().println("No counter" + wanted + " exists yet in " + store + ".");
      } else {
        shell.print(json ? json(counters) : table(counters));
      }
    }
    shell.out().flush();
    return 0;
  }

  /** Refuses what is no key, and a key beside those that are raised, which the filter may hide. */
  private void refuseFilter(String key) {
    if (!raised.isEmpty()) {
      throw new BadInput("option: --namespace (expected: not with --raise)");
    }
    Require.name("namespace", key);
  }

  private void raise(RegisterSegments segments) {
    try {
      raised.forEach(segments::raise);
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }

  private boolean isWanted(String key) {
    return namespace == null || namespace.equals(key);
  }

  private static String table(List<SegmentEntry> counters) {
    StringBuilder table = new StringBuilder(row("next", "last step", "key"));
    counters.forEach(counter -> table.append(row(counter.next(), counter.step(), counter.key())));
    return table.toString();
  }

  private static String row(Object next, Object step, Object key) {
    return String.format(Locale.ROOT, "%20s  %9s  %s\n", next, step, key);
  }

  private static String json(List<SegmentEntry> counters) {
    return counters.stream()
        .map(counter -> Json.object(object -> members(object, counter)) + "\n")
        .collect(Collectors.joining());
  }

  /** The numbers are as large as IDs, so they are text too. */
  private static void members(Json object, SegmentEntry counter) throws IOException {
    object.text("key", counter.key()).id("next", counter.next()).id("step", counter.step());
  }
}
