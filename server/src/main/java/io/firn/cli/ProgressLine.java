package io.firn.cli;

import io.firn.time.TimeSource;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;

/** A line on the terminal that shows how far a long command is. Nothing is shown elsewhere. */
final class ProgressLine {

  private static final int BAR = 30;
  private static final long PAUSE_NANOS = 200_000_000;

  private final PrintWriter to;
  private final boolean shown;
  private final TimeSource time;
  private final long begin;
  private final ReentrantLock lock = new ReentrantLock();
  private long last;
  private boolean dirty;

  ProgressLine(Shell shell, boolean shown) {
    to = shell.err();
    time = shell.time();
    this.shown = shown;
    begin = time.nanoTime();
    last = begin - PAUSE_NANOS;
  }

  /**
   * Shows how much is done, at most five times a second.
   *
   * @param done 0..1; negative if unknown
   */
  void show(String what, double done) {
    if (!shown || !lock.tryLock()) {
      return;
    }
    try {
      long now = time.nanoTime();
      if (now - last < PAUSE_NANOS) {
        return;
      }
      last = now;
      dirty = true;
      String bar = "";
      if (done >= 0) {
        int full = (int) (Math.min(1, done) * BAR);
        bar = " [" + "#".repeat(full) + " ".repeat(BAR - full) + "]";
        bar += String.format(Locale.ROOT, " %3d %%", (int) (Math.min(1, done) * 100));
      }
      long seconds = (now - begin) / 1_000_000_000;
      to.print("\r" + what + bar + "  " + seconds + " s\u001b[K");
      to.flush();
    } finally {
      lock.unlock();
    }
  }

  /** Takes the line off the terminal. */
  void clear() {
    if (dirty) {
      to.print("\r\u001b[K");
      to.flush();
    }
  }
}
