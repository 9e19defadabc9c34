package io.firn.faults;

import io.firn.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * One scenario, in a process of its own: whatever happens to the processes and servers here, the
 * test's process only waits. Ends when standard input does, so that nothing outlives the test.
 */
final class ScenarioRun {

  private static final Duration MAX_CALL = Duration.ofSeconds(3);
  private static final int DONE = 0;
  private static final int ABANDONED = 3;

  private ScenarioRun() {}

  /**
   * Runs a scenario.
   *
   * @param args its name, its length in seconds, how many processes, a directory, and the file for
   *     the result, and whether the identity of the store is hidden from the processes
   */
  public static void main(String[] args) throws IOException {
    endWithStandardInput();
    Duration length = Duration.ofSeconds(Long.parseLong(args[1]));
    int processes = Integer.parseInt(args[2]);
    Path directory = Path.of(args[3]);
    try (Scenario scenario = Scenarios.all().get(args[0]).apply(directory)) {
      Duration window = Duration.ofMillis((long) (length.toMillis() * scenario.windowShare()));
      int workerBits =
          scenario.isCrowded() ? Integer.SIZE - Integer.numberOfLeadingZeros(processes - 1) : 4;
      String store = limited(scenario.store(), window);
      Duration split = Duration.ofMillis((long) (length.toMillis() * scenario.splitShare()));
      Fleet.Rules rules =
          new Fleet.Rules(
              window.plus(split).plus(Member.MAX_CLOCK_SKEW), split, Boolean.parseBoolean(args[5]));
      try (Fleet fleet = new Fleet(store, window, workerBits, rules, directory)) {
        fleet.start(processes);
        scenario.play(new Stage(length), fleet);
        Files.writeString(Path.of(args[4]), fleet.end().text());
      }
    }
    System.exit(DONE);
  }

  private static void endWithStandardInput() {
    Thread watch =
        new Thread(
            () -> {
              try {
                while (System.in.read() >= 0) {
                  TimeSource.system().parkNanos(1);
                }
              } catch (IOException e) {
                // It has ended too.
              }
              System.exit(ABANDONED);
            },
            "standard-input");
    watch.setDaemon(true);
    watch.start();
  }

  /** Gives the calls of a store half of a window, as a lease demands; SQL has two waits. */
  static String limited(String store, Duration window) {
    if (store.startsWith("file:")) {
      return store;
    }
    long share = window.toMillis() / (store.startsWith("jdbc:") ? 4 : 2);
    return store
        + (store.contains("?") ? "&" : "?")
        + "timeout="
        + Math.min(MAX_CALL.toMillis(), share)
        + "ms";
  }
}
