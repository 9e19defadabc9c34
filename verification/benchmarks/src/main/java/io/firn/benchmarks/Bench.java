package io.firn.benchmarks;

import io.firn.benchmarks.Contender.Race;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.profile.Profiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Runs every contender with one and with two threads and prints the tables as Markdown; progress
 * goes to stderr.
 *
 * <p>A round gives each row a JVM of its own. Rounds repeat, so that other load of the machine
 * affects all rows alike: a ratio is taken inside a round, and the tables show medians over rounds.
 */
public final class Bench {

  private static final List<Integer> THREADS = List.of(1, 2);

  /**
   * The duration of a measurement. At the ceiling an iteration can be off by one tick, so it takes
   * thousands of them. Ciphers and texts are compiled late, so the race of wide IDs warms up for
   * longer.
   *
   * @param maxNanos when no further row begins
   */
  private record Plan(
      int rounds,
      int warmupMillis,
      int wideWarmupMillis,
      int saturatedMillis,
      int millis,
      long maxNanos,
      Set<Race> races) {
    static final Plan FULL =
        new Plan(5, 500, 3_000, 2_000, 1_000, Long.MAX_VALUE, EnumSet.allOf(Race.class));

    /** Leaves a minute for the row that is being measured then, and for the build. */
    static final Plan QUICK =
        new Plan(
            3,
            400,
            2_000,
            1_000,
            400,
            TimeUnit.MINUTES.toNanos(8),
            EnumSet.of(Race.SATURATED, Race.UNCAPPED));
  }

  private final Plan plan;
  private final Set<Race> races;
  private int rounds = 1;

  private Bench(Plan plan, Set<Race> races) {
    this.plan = plan;
    this.races = races;
  }

  /**
   * Takes {@code --quick} for three short rounds of the races of 64-bit IDs, in under ten minutes;
   * without it five rounds of all, in about 40. The names of races leave out the others.
   */
  public static void main(String[] args) throws RunnerException, IOException {
    System.exit(execute(System.out, System.err, args));
  }

  /**
   * Runs a command line.
   *
   * @return 0 for success, 1 for a failure, 2 for bad input
   */
  static int execute(PrintStream out, PrintStream err, String... args)
      throws RunnerException, IOException {
    List<String> all = List.of(args);
    if (all.contains("--help") || all.contains("-h")) {
      out.print(Arguments.USAGE);
      return written(out, err);
    }
    try {
      if (args.length > 0 && args[0].equals("scale")) {
        Scale.run(out, Arrays.copyOfRange(args, 1, args.length));
      } else {
        run(out, Arguments.parse(args), args);
      }
      return written(out, err);
    } catch (IllegalArgumentException e) {
      err.println("firn: " + e.getMessage());
      err.println("Try: firn bench --help");
      return 2;
    } catch (FileSystemException e) {
      err.println("firn: The file " + e.getFile() + " could not be read or written: " + e);
      return 1;
    }
  }

  /** Returns the exit code of a command whose output is complete if it could be written. */
  private static int written(PrintStream out, PrintStream err) {
    if (!out.checkError()) {
      return 0;
    }
    err.println("firn: The output could not be written; check the disk, or who reads it");
    return 1;
  }

  private static void run(PrintStream out, Arguments arguments, String[] args)
      throws RunnerException, IOException {
    publish(
        out,
        arguments,
        arguments.from().isPresent()
            ? Run.parse(Files.readString(arguments.from().get()))
            : measure(arguments, args));
  }

  /** Prints the tables first: what a file cannot take is not lost then. */
  static void publish(PrintStream out, Arguments arguments, Run run) throws IOException {
    out.print(new Report(run).markdown());
    if (arguments.json().isPresent()) {
      Files.writeString(arguments.json().get(), run.json());
    }
    if (arguments.svg().isPresent()) {
      Files.writeString(arguments.svg().get(), SpeedChart.svg(run));
    }
  }

  private static Run measure(Arguments arguments, String[] args) throws RunnerException {
    OutputFile.requireWritable("json", arguments.json());
    OutputFile.requireWritable("svg", arguments.svg());
    Machine machine = Machine.now();
    System.err.printf(
        "%s; %s; load average: %s%n", machine.hardware(), machine.jdk(), machine.loadText());
    Plan plan = arguments.quick() ? Plan.QUICK : Plan.FULL;
    Bench bench = new Bench(plan, arguments.races().isEmpty() ? plan.races() : arguments.races());
    String command = String.join(" ", args).isEmpty() ? "" : " " + String.join(" ", args);
    Instant begin = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    Map<Row, List<Sample>> samples = bench.run();
    return new Run("./firn bench" + command, begin, machine, bench.rounds, samples);
  }

  private Map<Row, List<Sample>> run() throws RunnerException {
    List<Row> rows = rows();
    Map<Row, List<Sample>> samples = new LinkedHashMap<>();
    long begin = System.nanoTime();
    for (int round = 1; round <= plan.rounds(); round++) {
      rounds = round;
      for (int i = 0; i < rows.size(); i++) {
        Row row = rows.get(i);
        long passed = System.nanoTime() - begin;
        if (passed > plan.maxNanos()) {
          System.err.println("the time is up: what is left is not measured");
          return samples;
        }
        int done = (round - 1) * rows.size() + i;
        System.err.printf(
            "%d s, %s left: round %d of %d, row %d of %d: %s, %d threads%n",
            TimeUnit.NANOSECONDS.toSeconds(passed),
            left(passed, done, plan.rounds() * rows.size()),
            round,
            plan.rounds(),
            i + 1,
            rows.size(),
            row.contender().title(),
            row.threads());
        samples.computeIfAbsent(row, any -> new ArrayList<>()).add(measure(row));
      }
    }
    return samples;
  }

  /** Returns how long what is not done will take. */
  private String left(long passedNanos, int done, int all) {
    if (done == 0) {
      return "unknown";
    }
    long nanos = Math.min(passedNanos / done * (all - done), plan.maxNanos() - passedNanos);
    return TimeUnit.NANOSECONDS.toSeconds(nanos) + " s";
  }

  private List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (Race race : races) {
      for (int threads : THREADS) {
        for (Contender contender : Contender.values()) {
          if (contender.race() == race) {
            rows.add(new Row(contender, threads));
          }
        }
      }
    }
    return rows;
  }

  private Sample measure(Row row) throws RunnerException {
    boolean saturated = row.contender().race() == Race.SATURATED;
    boolean timed = saturated || row.contender().race() == Race.SEGMENTS;
    RunResult ids =
        fork(
            row,
            row.contender() == Contender.BLOCKS ? "block" : "next",
            saturated ? plan.saturatedMillis() : plan.millis(),
            List.of(CpuProfiler.class, GCProfiler.class));
    double worstMillis =
        timed
            ? secondary(
                fork(row, "timed", plan.millis(), List.of(WorstCallProfiler.class)),
                WorstCallProfiler.LABEL)
            : Double.NaN;
    return new Sample(
        ids.getPrimaryResult().getScore(),
        secondary(ids, CpuProfiler.LABEL),
        worstMillis,
        secondary(ids, "gc.alloc.rate.norm"));
  }

  private RunResult fork(
      Row row, String method, int millis, List<Class<? extends Profiler>> profilers)
      throws RunnerException {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include("^" + IdBenchmark.class.getName() + "\\." + method + "$")
            .param("contender", row.contender().name())
            .threads(row.threads())
            .forks(1)
            .warmupIterations(1)
            .warmupTime(TimeValue.milliseconds(warmupMillis(row)))
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(millis))
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true);
    profilers.forEach(options::addProfiler);
    return new Runner(options.build()).runSingle();
  }

  private int warmupMillis(Row row) {
    return row.contender().race() == Race.WIDE ? plan.wideWarmupMillis() : plan.warmupMillis();
  }

  private static double secondary(RunResult run, String label) {
    Result<?> result = run.getSecondaryResults().get(label);
    return result == null ? Double.NaN : result.getScore();
  }
}
