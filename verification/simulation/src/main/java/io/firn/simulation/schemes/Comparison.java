package io.firn.simulation.schemes;

import java.util.List;

/** The schemes beside each other. */
public final class Comparison {

  private final List<Contest> contests = Contest.all();

  public void run(long seed) {
    contests.forEach(contest -> contest.run(seed));
  }

  public boolean isFirnClean() {
    return contests.get(contests.size() - 1).collisions() == 0;
  }

  public String table() {
    Table table =
        new Table(
            "scheme",
            "runs",
            "with a collision",
            "IDs",
            "colliding IDs",
            "median time to the first",
            "most often because");
    for (Contest contest : contests) {
      table.row(
          contest.name(),
          Chart.grouped(contest.runs()),
          Chart.grouped(contest.runsWithCollision()),
          Chart.grouped(contest.ids()),
          Chart.grouped(contest.collisions()),
          contest.medianTime(),
          contest.mainCause());
    }
    return table.toString();
  }

  public String picture() {
    return Chart.of(contests);
  }
}
