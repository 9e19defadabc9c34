package io.firn.cli;

import io.firn.IdLayout;
import io.firn.decode.DecodeJson;
import io.firn.decode.Decoder;
import io.firn.decode.KnownNamespace;
import io.firn.decode.Reading;
import io.firn.lease.LayoutChange;
import io.firn.lease.LayoutChange.Plan;
import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import io.firn.text.IdFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Scanner;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Takes IDs apart. */
@Command(
    name = "decode",
    description = "Explain IDs: when and where each was made.",
    footer = {
      "",
      "An ID is a number in any form that next writes, a UUID, ULID, ObjectId, KSUID, xid or"
          + " TypeID.",
      "Without --layout, decode shows what an ID may be, most plausible first. With --store"
          + " or --namespace, the layouts of that store's namespaces and the workers that they"
          + " leased rank first; without either, no store is asked.",
      "Bad IDs are reported on stderr; the others are decoded, and the exit code is 2."
    })
final class DecodeCommand implements Callable<Integer> {

  private final Shell shell;

  @Parameters(
      paramLabel = "ID",
      arity = "0..*",
      description = "The IDs, in any form; read from stdin if none is given.")
  List<String> ids = List.of();

  @Option(
      names = "--layout",
      paramLabel = "NAME|SPEC",
      completionCandidates = Arguments.LayoutNames.class,
      description = "The layout of the IDs.")
  @Nullable IdLayout layout;

  @Option(names = "--all", description = "Show every possible reading, the implausible ones last.")
  boolean all;

  @Option(
      names = "--json",
      description =
          "Write one object a line; without --layout it has the most plausible reading and names"
              + " the others as \"also\", with --all every reading has an object.")
  boolean json;

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      completionCandidates = Arguments.FormatNames.class,
      description = "The text form of numeric IDs: ${COMPLETION-CANDIDATES}.")
  @Nullable IdFormat format;

  @Mixin StoreOptions options = new StoreOptions();

  @Spec @Nullable CommandSpec spec;

  private List<KnownNamespace> known = List.of();

  DecodeCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    if (options.isGiven()) {
      known = knownNamespaces();
    }
    boolean allGood = ids.isEmpty() ? decodeInput() : decodeAll(ids);
    shell.out().flush();
    return allGood ? ExitCode.OK : ParseErrors.pointToHelp(shell, Objects.requireNonNull(spec));
  }

  private List<KnownNamespace> knownNamespaces() {
    try (RegisterStore store = options.open(shell)) {
      List<KnownNamespace> all = new ArrayList<>();
      var workers = Namespace.workers(store, options.namespacesOf(store));
      Map<String, Plan> changes = LayoutChange.current(store, workers.keySet());
      workers.forEach(
          (name, entries) ->
              all.addAll(
                  KnownNamespace.of(
                      name,
                      layout(Namespace.of(store, name)),
                      Optional.ofNullable(changes.get(name)),
                      KnownNamespace.beginnings(entries))));
      return all;
    }
  }

  private static IdLayout layout(Namespace namespace) {
    return namespace
        .layout()
        .orElseThrow(
            () ->
                new BadInput(
                    "namespace: " + namespace.name() + " (expected: one that has leases)"));
  }

  private boolean decodeAll(List<String> texts) throws IOException {
    boolean allGood = true;
    for (String text : texts) {
      allGood &= decode(text);
    }
    return allGood;
  }

  private boolean decodeInput() throws IOException {
    shell.announceInput("separated by spaces or newlines");
    boolean allGood = true;
    Scanner words = new Scanner(shell.in(), StandardCharsets.UTF_8);
    while (words.hasNext()) {
      allGood &= decode(words.next());
      if (shell.in().available() == 0) {
        shell.out().flush();
      }
    }
    if (words.ioException() != null) {
      throw words.ioException();
    }
    return allGood;
  }

  private boolean decode(String text) throws IOException {
    try {
      shell.print(explain(text));
      return true;
    } catch (IllegalArgumentException e) {
      shell.refuse(String.valueOf(e.getMessage()));
      return false;
    }
  }

  private String explain(String text) {
    Decoder decoder = new Decoder(shell.now(), format, known);
    DecodeReport report = new DecodeReport(shell, shell.now());
    if (layout != null) {
      Reading reading = decoder.decode(text, layout);
      return json ? DecodeJson.of(List.of(reading)) + "\n" : report.of(reading);
    }
    if (all) {
      List<Reading> readings = decoder.decode(text);
      return json ? lines(readings) : report.all(readings);
    }
    List<Reading> readings = decoder.plausible(text);
    return json ? DecodeJson.of(readings) + "\n" : report.of(readings);
  }

  private static String lines(List<Reading> readings) {
    return readings.stream()
        .map(reading -> DecodeJson.withGrounds(reading) + "\n")
        .collect(Collectors.joining());
  }
}
