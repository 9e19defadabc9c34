package io.firn.cli;

import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Decides whether the stores of a namespace own disjoint parts of it. */
@Command(
    name = "regions",
    description = "Decide whether the stores of a namespace can ever issue the same number.",
    exitCodeList = {
      "0:they cannot",
      "1:they can; every overlap is shown",
      "2:bad input",
      "3:a failure: no answer"
    },
    exitCodeOnExecutionException = VerifyCommand.NO_ANSWER,
    footer = {
      "",
      "Each store has the home datacenters that firn store home records, or a first lease with a"
          + " datacenter. A store without any has all workers. Run it from where all stores are"
          + " reached, after every change."
    })
final class RegionsCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(arity = "2..*", paramLabel = "STORE", description = "The addresses of the stores.")
  List<String> addresses = List.of();

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      description = "Only this namespace; by default, all of the stores.")
  @Nullable String namespace;

  @Option(names = "--json", description = "Write an object for each namespace.")
  boolean json;

  RegionsCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    Map<String, List<Region>> regions = new TreeMap<>();
    Map<String, Set<String>> names = new LinkedHashMap<>();
    for (String address : addresses) {
      try (RegisterStore store = StoreOptions.open(shell, address)) {
        Set<String> here = new HashSet<>();
        if (names.put(store.toString(), here) != null) {
          throw new BadInput(
              "store: " + store + " (expected: each store once, this one is given twice)");
        }
        for (String name : Namespace.names(store)) {
          if (namespace == null || namespace.equals(name)) {
            here.add(name);
            regions
                .computeIfAbsent(name, unused -> new ArrayList<>())
                .add(Region.read(store, name, shell.time()));
          }
        }
      }
    }
    requireShared(names, regions);
    boolean disjoint = true;
    for (Map.Entry<String, List<Region>> each : regions.entrySet()) {
      RegionReport report = new RegionReport(each.getKey(), each.getValue());
      disjoint &= report.isDisjoint();
      shell.print(json ? report.object() + "\n" : report.text(shell.ansi()));
    }
    shell.out().flush();
    return disjoint ? 0 : 1;
  }

  /** A store that has nothing in common with the others is a wrong address. */
  private void requireShared(Map<String, Set<String>> names, Map<String, List<Region>> regions) {
    names.forEach(
        (store, here) -> {
          if (here.stream().allMatch(name -> regions.getOrDefault(name, List.of()).size() < 2)) {
            throw new BadInput(
                "store: "
                    + store
                    + " (expected: one with "
                    + (namespace == null ? "a namespace" : "namespace " + namespace)
                    + " that another one of the stores has)");
          }
        });
  }
}
