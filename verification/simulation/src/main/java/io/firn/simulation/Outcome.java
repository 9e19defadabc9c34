package io.firn.simulation;

import io.firn.simulation.world.Settings;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a run.
 *
 * @param settings what was run
 * @param ids how many IDs were issued
 * @param duplicates how many of them had been issued before
 * @param ofTheDead how many of these were first issued by a process that had crashed since
 * @param noticed how often a process noticed that a counter went back
 * @param missed how often one did not, because the register remembered too little
 * @param events how many events there were
 * @param failure what went wrong, if anything did
 * @param log a line an event, if the log was kept
 */
record Outcome(
    Settings settings,
    long ids,
    long duplicates,
    long ofTheDead,
    long noticed,
    long missed,
    long events,
    @Nullable Throwable failure,
    String log) {

  boolean isFailed() {
    return failure != null;
  }
}
