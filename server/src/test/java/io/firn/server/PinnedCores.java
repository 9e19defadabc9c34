package io.firn.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.firn.testkit.Sizes;
import io.firn.testservers.InstalledProgram;
import java.io.IOException;

/**
 * Gives a server a core of its own while it is measured, and this process the others, so that
 * attackers and victims do not take the server's time. Without {@code taskset}, or with one core,
 * nothing is done.
 */
final class PinnedCores implements AutoCloseable {

  private final int cores;

  private PinnedCores(int cores) {
    this.cores = cores;
    if (cores > 1) {
      pin("1-" + (cores - 1), ProcessHandle.current().pid());
    }
  }

  /** For the large size of a test, which reports figures. */
  static PinnedCores ofDeepRuns() {
    boolean pins =
        Sizes.isDeep()
            && new InstalledProgram("taskset", "util-linux", "FIRN_REQUIRE_TASKSET").isInstalled();
    return new PinnedCores(pins ? Runtime.getRuntime().availableProcessors() : 1);
  }

  /** Gives a process the first core. */
  void giveFirst(long pid) {
    if (cores > 1) {
      pin("0", pid);
    }
  }

  /** Gives this process all cores again. */
  @Override
  public void close() {
    if (cores > 1) {
      pin("0-" + (cores - 1), ProcessHandle.current().pid());
    }
  }

  /** Pins all threads of a process. Where the system does not let it, the cores are shared. */
  private static void pin(String list, long pid) {
    try {
      Process taskset =
          new ProcessBuilder("taskset", "-a", "-c", "-p", list, Long.toString(pid))
              .redirectErrorStream(true)
              .start();
      String text = new String(taskset.getInputStream().readAllBytes(), US_ASCII);
      if (taskset.waitFor() != 0) {
        System.getLogger(PinnedCores.class.getName())
            .log(System.Logger.Level.WARNING, "not pinned: {0}", text);
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
