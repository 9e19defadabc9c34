package io.firn.cli;

import java.io.IOException;

/**
 * The work that runs when the process is stopped before it is done, as by Ctrl-C: a worker ID is
 * given back, and is not held for the rest of its window.
 */
final class AtExit {

  private static volatile boolean ending;

  /** Work that may be cut off by the end of the process. */
  interface Work {
    void run() throws IOException;
  }

  private AtExit() {}

  /** Does some work; if the process is stopped meanwhile, runs the action first. */
  static void run(Runnable action, Work work) throws IOException {
    Thread hook =
        new Thread(
            () -> {
              ending = true;
              action.run();
            },
            "firn-at-exit");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      work.run();
    } finally {
      remove(hook);
    }
  }

  private static void remove(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) { // the process is ending
      try {
        hook.join();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns whether the process is ending, so that a failure has no reader. */
  static boolean isEnding() {
    return ending;
  }
}
