package io.firn.benchmarks;

import io.firn.benchmarks.Contender.Race;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * <p>A round gives each row a JVM of its own. Rounds repeat, so that whatever else the machine does
 * meets all rows alike: a ratio is taken inside a round, and the tables show medians over rounds.
 */
public final class Bench {

  private static final String USAGE =
      "usage: firn bench [--quick] [saturated] [uncapped] [segments] [wide]";
  private static final String QUICK = "--quick";
  private static final List<Integer> THREADS = List.of(1, 2);

  /**
   * The duration of a measurement. At the ceiling an iteration can be off by one tick, so it takes
   * thousands of them. Ciphers and texts are compiled late, so the race of wide IDs warms up for
   * longer.
   */
  private record Plan(
      int rounds, int warmupMillis, int wideWarmupMillis, int saturatedMillis, int millis) {
    static final Plan FULL = new Plan(5, 500, 3_000, 2_000, 1_000);
    static final Plan QUICK = new Plan(1, 400, 2_000, 1_000, 400);
  }

  private final Plan plan;
  private final Set<Race> races;

  private Bench(Plan plan, Set<Race> races) {
    this.plan = plan;
    this.races = races;
  }

  /**
   * Takes {@code --quick} for one short round, about six minutes; without it about 40. The names of
   * races leave out the others.
   */
  public static void main(String[] args) throws RunnerException {
    List<String> arguments = List.of(args);
    Set<Race> races = EnumSet.noneOf(Race.class);
    for (Race race : Race.values()) {
      if (arguments.contains(race.label())) {
        races.add(race);
      }
    }
    boolean quick = arguments.contains(QUICK);
    if (arguments.size() != races.size() + (quick ? 1 : 0)) {
      System.err.println(USAGE);
      System.exit(2);
    }
    Machine machine = Machine.now();
    Plan plan = quick ? Plan.QUICK : Plan.FULL;
    Map<Row, List<Sample>> samples =
        new Bench(plan, races.isEmpty() ? EnumSet.allOf(Race.class) : races).run();
    System.out.print(new Report(samples).markdown(machine, plan.rounds(), arguments));
  }

  private Map<Row, List<Sample>> run() throws RunnerException {
    List<Row> rows = rows();
    Map<Row, List<Sample>> samples = new LinkedHashMap<>();
    for (int round = 1; round <= plan.rounds(); round++) {
      for (int i = 0; i < rows.size(); i++) {
        Row row = rows.get(i);
        System.err.printf(
            "round %d of %d, row %d of %d: %s, %d threads%n",
            round, plan.rounds(), i + 1, rows.size(), row.contender().title(), row.threads());
        samples.computeIfAbsent(row, any -> new ArrayList<>()).add(measure(row));
      }
    }
    return samples;
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
