package io.firn.simulation;

import io.firn.simulation.schemes.Comparison;
import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Fault;
import io.firn.simulation.world.Scale;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command {@code simulate}. */
@Command(
    name = "simulate",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    usageHelpWidth = 100,
    description =
        "Runs the production code in a simulated world of faults, and looks for an ID issued"
            + " twice.")
public final class Simulate implements Callable<Integer> {

  private static final long DEFAULT_SEEDS = 1_000;
  private static final long DEFAULT_COMPARED = 200;

  /** The work to do; one of them. */
  static final class Task {
    @Option(names = "--seeds", paramLabel = "N", description = "How many seeds to run.")
    @Nullable Long seeds;

    @Option(names = "--seed", paramLabel = "S", description = "Replay one seed, a line an event.")
    @Nullable Long seed;
  }

  /** Less, or other, than what a seed stands for. */
  static final class Changes {
    @Option(names = "--nodes", paramLabel = "N", description = "At most this many hosts.")
    @Nullable Integer nodes;

    @Option(
        names = "--slots",
        paramLabel = "N",
        description = "At most this many generators per process.")
    @Nullable Integer slots;

    @Option(names = "--windows", paramLabel = "N", description = "The length of a run, in windows.")
    @Nullable Integer windows;

    @Option(
        names = "--faults",
        paramLabel = "F",
        split = ",",
        description = "Only these faults, or none.")
    String @Nullable [] faults;

    @Option(
        names = "--more",
        description =
            "Also copies of processes, and stores that hang, throw an Error, or take back what they"
                + " did not acknowledge.")
    boolean more;

    @Option(
        names = "--losses",
        description = "A store that loses what it acknowledged, and has an identity.")
    boolean losses;

    Settings on(Settings seed) {
      Settings drawn = losses ? seed.withLosses() : seed;
      Scale scale = drawn.scale();
      scale = nodes == null ? scale : scale.withNodes(nodes);
      scale = slots == null ? scale : scale.withSlots(slots);
      scale = windows == null ? scale : scale.withWindows(windows);
      Settings changed = drawn.with(faults == null ? scale : scale.withFaults(parse(faults)));
      return more ? changed.withMore() : changed;
    }

    private static Set<Fault> parse(String[] labels) {
      EnumSet<Fault> faults = EnumSet.noneOf(Fault.class);
      for (String label : labels) {
        if (!label.equals("none")) {
          faults.add(Fault.of(label));
        }
      }
      return faults;
    }
  }

  @ArgGroup private Task task = new Task();

  @ArgGroup(exclusive = false)
  private Changes changes = new Changes();

  @Option(
      names = "--from",
      paramLabel = "S",
      defaultValue = "0",
      description = "The first seed (${DEFAULT-VALUE}).")
  private long from;

  @Option(
      names = "--mutant",
      paramLabel = "M",
      description = "Plant a bug: ${COMPLETION-CANDIDATES}.")
  private Mutant mutant = Mutant.NONE;

  @Option(names = "--segments", description = "Run the counters of segments, not leases.")
  private boolean segments;

  @Option(names = "--watermark", description = "Run rows in scopes, and readers of the watermark.")
  private boolean watermark;

  @Option(
      names = "--carry-over",
      description = "Run generators that leave the rest of a window in a file.")
  private boolean carryOver;

  @Option(names = "--regions", description = "Run two regions, each with a home datacenter.")
  private boolean regions;

  @Option(
      names = "--reservations",
      description = "Run worker IDs that are reserved for another system beside generators.")
  private boolean reservations;

  @Option(names = "--blocks", description = "Run blocks of IDs beside generators.")
  private boolean blocks;

  @Option(names = "--compare", description = "Run today's schemes under the same faults.")
  private boolean compare;

  @Option(names = "--svg", paramLabel = "FILE", description = "Draw the comparison there.")
  private @Nullable Path svg;

  @Option(names = "--amnesia", description = "Measure what is left when the store forgets.")
  private boolean amnesia;

  @Spec private @Nullable CommandSpec spec;

  /** Starts the command. */
  public static void main(String[] args) {
    System.exit(execute(System.out, System.err, args));
  }

  /**
   * Runs a command line.
   *
   * @return 0 for success, 1 for a violation or a failure, 2 for bad input
   */
  static int execute(PrintStream out, PrintStream err, String... args) {
    int code =
        commandLine()
            .setOut(new PrintWriter(out, true, StandardCharsets.UTF_8))
            .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
            .execute(args);
    if (!out.checkError()) {
      return code;
    }
    err.println("firn: The output could not be written; check the disk, or who reads it");
    return 1;
  }

  static CommandLine commandLine() {
    return new CommandLine(new Simulate())
        .setCommandName("firn simulate")
        .setUsageHelpAutoWidth(true)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler((e, args) -> refuse(e));
  }

  /** Refuses a command line as every other command of {@code firn} does. */
  private static int refuse(ParameterException e) {
    String text = e.getMessage();
    if (e instanceof UnmatchedArgumentException unmatched) {
      String what = unmatched.isUnknownOption() ? "option: " : "argument: ";
      text = what + unmatched.getUnmatched().get(0) + " (expected: one of --help)";
    }
    e.getCommandLine().getErr().println("firn: " + text);
    e.getCommandLine().getErr().println("Try: firn simulate --help");
    return CommandLine.ExitCode.USAGE;
  }

  @Override
  public Integer call() throws IOException {
    Quiet.please();
    refuseBelowOne("seeds", task.seeds);
    refuseBelowOne("nodes", changes.nodes);
    refuseBelowOne("slots", changes.slots);
    refuseBelowOne("windows", changes.windows);
    if (compare) {
      return compare();
    }
    if (amnesia) {
      return amnesia();
    }
    return task.seed == null ? search() : replay(task.seed);
  }

  private PrintWriter out() {
    return Objects.requireNonNull(spec).commandLine().getOut();
  }

  private PrintWriter err() {
    return Objects.requireNonNull(spec).commandLine().getErr();
  }

  private int replay(long seed) {
    Outcome outcome = Simulation.runWithLog(settings(seed), mutant);
    out().print(outcome.log());
    out().flush();
    return outcome.isFailed() ? 1 : 0;
  }

  private Subject subject() {
    if (regions) {
      return Subject.REGIONS;
    }
    if (carryOver) {
      return Subject.CARRY_OVER;
    }
    if (reservations) {
      return Subject.RESERVATIONS;
    }
    if (watermark) {
      return Subject.WATERMARK;
    }
    if (blocks) {
      return Subject.BLOCKS;
    }
    return segments ? Subject.SEGMENTS : mutant.subject();
  }

  private Settings settings(long seed) {
    Settings settings;
    try {
      settings = changes.on(Settings.of(seed).with(subject()));
    } catch (IllegalArgumentException e) {
      throw refused(String.valueOf(e.getMessage()));
    }
    if (settings.hasIdentity() || settings.mayForget()) {
      refuseCarryOver();
    }
    return settings;
  }

  /** A run without seeds, hosts or generators would find no violation. */
  private void refuseBelowOne(String name, @Nullable Number value) {
    if (value != null && value.longValue() < 1) {
      throw refused(name + ": " + value + " (expected: 1 or more)");
    }
  }

  /** No run has carry-over files on a store that may lose writes: leases refuse them there. */
  private void refuseCarryOver() {
    if (subject() == Subject.CARRY_OVER) {
      throw refused(
          "carry-over: on a store that may lose writes (expected: on one that keeps them; leases"
              + " refuse carry-over files on others)");
    }
  }

  private ParameterException refused(String text) {
    return new ParameterException(Objects.requireNonNull(spec).commandLine(), text);
  }

  private int search() {
    Search search = new Search(mutant, this::settings);
    forEachSeed(DEFAULT_SEEDS, search::run, search::isOver);
    out().println(search.report());
    out().flush();
    return search.isOver() ? 1 : 0;
  }

  private int compare() throws IOException {
    Comparison comparison = new Comparison();
    forEachSeed(DEFAULT_COMPARED, comparison::run, () -> false);
    out().print(comparison.table());
    out().flush();
    if (svg != null) {
      Files.writeString(svg, comparison.picture(), StandardCharsets.UTF_8);
    }
    return comparison.isFirnClean() ? 0 : 1;
  }

  private int amnesia() {
    refuseCarryOver();
    Amnesia measured = new Amnesia(subject());
    forEachSeed(DEFAULT_SEEDS, measured::run, () -> false);
    out().print(measured.table());
    out().flush();
    return 0;
  }

  private void forEachSeed(long count, LongConsumer run, BooleanSupplier over) {
    long seeds = task.seeds == null ? count : task.seeds;
    try (Progress progress = new Progress(seeds, err())) {
      for (long i = 0; i < seeds && !over.getAsBoolean(); i++) {
        run.accept(from + i);
        progress.step();
      }
    }
  }

  static String perSecond(long count, long nanos) {
    return String.format(Locale.ROOT, "%.0f", count * 1e9 / Math.max(1, nanos));
  }
}
