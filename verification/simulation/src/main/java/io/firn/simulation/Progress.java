package io.firn.simulation;

/** A bar on the terminal's last line; nothing where there is no terminal. */
final class Progress implements AutoCloseable {

  private static final int WIDTH = 40;
  private static final long REFRESH_NANOS = 100_000_000;

  private final long total;
  private final boolean visible = isTerminal();
  private final long begin = System.nanoTime();
  private long done;
  private long shown;

  Progress(long total) {
    this.total = total;
  }

  @SuppressWarnings("SystemConsoleNull") // from JDK 22 on a console may be none, and says so
  private static boolean isTerminal() {
    return System.console() != null && System.getenv("TERM") != null;
  }

  void step() {
    done++;
    long now = System.nanoTime();
    if (visible && now - shown >= REFRESH_NANOS) {
      shown = now;
      int full = (int) (WIDTH * done / total);
      System.err.print(
          "\r"
              + "█".repeat(full)
              + "░".repeat(WIDTH - full)
              + " "
              + done
              + " of "
              + total
              + " seeds, "
              + Simulate.perSecond(done, now - begin)
              + " a second ");
    }
  }

  @Override
  public void close() {
    if (visible) {
      System.err.print("\r" + " ".repeat(2 * WIDTH) + "\r");
    }
  }
}
