package io.firn.lease;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.FaultyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * Leases two workers of two stores while the log handler of the process blocks forever, or throws.
 * The store of the first goes down until its lease says so, and comes back.
 */
final class LoggingProcess {

  private static final Duration WINDOW = Duration.ofSeconds(2);
  private static final CountDownLatch LOGGED = new CountDownLatch(1);

  private LoggingProcess() {}

  /** Argument: {@code blocks} or {@code throws}. */
  public static void main(String[] arguments) throws Exception {
    boolean blocks = arguments[0].equals("blocks");
    Logger.getLogger("io.firn").addHandler(new Bad(blocks));
    Logger.getLogger("io.firn").setLevel(Level.WARNING);
    FaultyStore faulty = new FaultyStore();
    FaultyStore healthy = new FaultyStore();
    try (Snowflake first = start(faulty);
        Snowflake second = start(healthy)) {
      faulty.goDown();
      LOGGED.await();
      System.out.println("logged");
      faulty.comeBack();
      Instant firstEnd = afterRenewals(first);
      Instant secondEnd = afterRenewals(second);
      awaitFence(first, firstEnd);
      awaitFence(second, secondEnd);
      first.nextId();
      second.nextId();
      System.out.println("renewed");
    }
    System.out.println("closed " + isReleased(faulty) + " " + isReleased(healthy));
    System.exit(0);
  }

  private static Snowflake start(FaultyStore store) {
    return Snowflake.builder()
        .layout(IdLayout.CLASSIC)
        .lease(LeaseConfig.builder(store, "logging").window(WINDOW).build())
        .build();
  }

  private static Instant afterRenewals(Snowflake snowflake) {
    return snowflake.leaseStatus().orElseThrow().fence().plus(WINDOW.multipliedBy(2));
  }

  /** Waits until the fence has moved on that far; its process is ended if it never does. */
  private static void awaitFence(Snowflake snowflake, Instant end) throws InterruptedException {
    while (snowflake.leaseStatus().orElseThrow().fence().isBefore(end)) {
      Thread.sleep(50);
    }
  }

  private static boolean isReleased(FaultyStore store) {
    return Namespace.of(store, "logging").workers().stream().noneMatch(WorkerEntry::held);
  }

  private static final class Bad extends Handler {

    private final boolean blocks;

    Bad(boolean blocks) {
      this.blocks = blocks;
    }

    @Override
    public void publish(LogRecord record) {
      LOGGED.countDown();
      if (!blocks) {
        throw new LinkageError("a class of the log handler is missing");
      }
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }
}
