package io.firn.simulation;

import java.io.PrintWriter;
import java.util.function.LongSupplier;

/**
 * The number of seeds that are done: a bar on a terminal's last line, elsewhere a line from time to
 * time.
 */
final class Progress implements AutoCloseable {

  private static final int WIDTH = 40;
  private static final long REFRESH_NANOS = 100_000_000;
  private static final long LINE_NANOS = 10_000_000_000L;

  private final long total;
  private final boolean terminal;
  private final PrintWriter out;
  private final LongSupplier nanos;
  private final long begin;
  private long done;
  private long shown;

  Progress(long total, PrintWriter out) {
    this(total, out, isTerminal(), System::nanoTime);
  }

  /** A progress on a given clock. */
  Progress(long total, PrintWriter out, boolean terminal, LongSupplier nanos) {
    this.total = total;
    this.out = out;
    this.terminal = terminal;
    this.nanos = nanos;
    begin = nanos.getAsLong();
    shown = begin;
  }

  @SuppressWarnings("SystemConsoleNull") // from JDK 22 on a console may be none, and says so
  private static boolean isTerminal() {
    return System.console() != null && System.getenv("TERM") != null;
  }

  void step() {
    done++;
    long now = nanos.getAsLong();
    if (now - shown < (terminal ? REFRESH_NANOS : LINE_NANOS)) {
      return;
    }
    shown = now;
    String line =
        done + " of " + total + " seeds, " + Simulate.perSecond(done, now - begin) + " a second";
    if (terminal) {
      int full = (int) (WIDTH * done / total);
      out.print("\r" + "█".repeat(full) + "░".repeat(WIDTH - full) + " " + line + " ");
    } else {
      out.println(line);
    }
    out.flush();
  }

  @Override
  public void close() {
    if (terminal) {
      out.print("\r" + " ".repeat(2 * WIDTH) + "\r");
      out.flush();
    }
  }
}
