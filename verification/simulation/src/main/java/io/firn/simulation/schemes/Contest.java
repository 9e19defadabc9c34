package io.firn.simulation.schemes;

import io.firn.simulation.judges.Cause;
import io.firn.simulation.judges.CountingJudge;
import io.firn.simulation.world.Scheme;
import io.firn.simulation.world.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** One scheme in the same runs, with the same faults, as the others. */
public final class Contest {

  private final String name;
  private final Supplier<Scheme> scheme;
  private final List<Long> firstNanos = new ArrayList<>();
  private final Map<Cause, Long> causes = new EnumMap<>(Cause.class);
  private int runs;
  private long ids;
  private long collisions;

  Contest(String name, Supplier<Scheme> scheme) {
    this.name = name;
    this.scheme = scheme;
  }

  public static List<Contest> all() {
    return List.of(
        new Contest("host-name hash mod 32", FixedScheme::hostHash),
        new Contest("Redis counter mod 1024", CounterScheme::new),
        new Contest("ZooKeeper ephemeral node", ClaimScheme::ephemeralNode),
        new Contest("time-to-live lease", ClaimScheme::timeToLive),
        new Contest("static map", FixedScheme::staticMap),
        new Contest("Firn", () -> new FirnScheme(Mutant.NONE)));
  }

  public void run(long seed) {
    CountingJudge judge = Arena.run(seed, scheme.get());
    runs++;
    ids += judge.ids();
    collisions += judge.collisions();
    judge.firstCause().ifPresent(cause -> causes.merge(cause, 1L, Long::sum));
    if (judge.collisions() > 0) {
      firstNanos.add(judge.firstNanos());
    }
  }

  public String name() {
    return name;
  }

  public int runs() {
    return runs;
  }

  public int runsWithCollision() {
    return firstNanos.size();
  }

  public long ids() {
    return ids;
  }

  public long collisions() {
    return collisions;
  }

  public double percent() {
    return runs == 0 ? 0 : 100.0 * runsWithCollision() / runs;
  }

  /** Returns the time by which half of the runs with a collision had the first one. */
  public String medianTime() {
    if (firstNanos.isEmpty()) {
      return "–";
    }
    long nanos = firstNanos.stream().sorted().skip(firstNanos.size() / 2).findFirst().orElse(0L);
    long seconds = nanos / World.NANOS_PER_MILLI / 1_000;
    return seconds / 60 + " min " + seconds % 60 + " s";
  }

  public String mainCause() {
    return causes.entrySet().stream()
        .max(Comparator.comparingLong(Map.Entry::getValue))
        .map(entry -> entry.getKey().toString())
        .orElse("–");
  }
}
