package io.firn.jdbc;

import io.firn.FirnException;
import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.RegisterStore;
import io.firn.testkit.ForwardingTimeSource;
import io.firn.time.TimeSource;
import io.firn.wide.Uuids;
import io.firn.wide.WideIdGenerator;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * A process that writes rows into an outbox: transactions that commit late, and some that roll
 * back. It is spoken to in lines: {@code pause} holds every transaction before its check, {@code
 * hold} between that and its commit, {@code resume} lets them go on, {@code end} ends it.
 */
final class OutboxWriter implements Runnable {

  private static final int ROLLED_BACK_PERCENT = 10;
  private static final WideIdGenerator<UUID> UUIDS = Uuids.v7();

  private final String url;
  private final Snowflake orders;
  private final int largestDelayMillis;
  private final int largeRows;
  private final int largePercent;
  private final boolean guarded;
  private final CommitGuard guard = CommitGuard.create();
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger committed = new AtomicInteger();
  private final ReentrantReadWriteLock checks = new ReentrantReadWriteLock(true);
  private final ReentrantReadWriteLock commits = new ReentrantReadWriteLock(true);
  private volatile boolean ended;

  private OutboxWriter(String[] arguments, Snowflake orders) {
    url = arguments[1];
    this.orders = orders;
    largestDelayMillis = Integer.parseInt(arguments[4]);
    largeRows = Integer.parseInt(arguments[6]);
    largePercent = Integer.parseInt(arguments[7]);
    guarded = Boolean.parseBoolean(arguments[8]);
  }

  /** The clock of this host, and so far ahead of it. */
  private static final class Ahead extends ForwardingTimeSource {

    private final long millis;

    Ahead(long millis) {
      super(TimeSource.system());
      this.millis = millis;
    }

    @Override
    public long currentTimeMillis() {
      return super.currentTimeMillis() + millis;
    }
  }

  /**
   * Arguments: address of the store, of the database, window, how far the clock is ahead, the
   * longest delay before a commit (each in ms), threads, rows of a large transaction, how many in
   * 100 are large, whether commits are guarded.
   */
  public static void main(String[] arguments) throws Exception {
    RegisterStore store = RegisterStore.open(arguments[0]);
    LeaseConfig lease =
        LeaseConfig.builder(store, OutboxProcess.NAMESPACE)
            .window(Duration.ofMillis(Long.parseLong(arguments[2])))
            .maxSplit(OutboxProcess.GRACE)
            .acquireTimeout(Duration.ofMinutes(1))
            .build();
    Snowflake orders =
        Snowflake.builder()
            .lease(lease)
            .timeSource(new Ahead(Long.parseLong(arguments[3])))
            .build();
    OutboxWriter writer = new OutboxWriter(arguments, orders);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(arguments[5]); i++) {
      threads.add(new Thread(writer));
    }
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    System.out.println("worker " + orders.leaseStatus().orElseThrow().worker());
    threads.forEach(Thread::start);
    for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
      writer.obey(line);
    }
    writer.ended = true;
    for (Thread thread : threads) {
      thread.join();
    }
    orders.close();
    store.close();
    System.out.println("committed " + writer.committed + ", refused " + writer.refused);
  }

  private void obey(String line) throws InterruptedException {
    switch (line) {
      case "pause" -> {
        checks.writeLock().lock();
        System.out.println("paused");
      }
      case "hold" -> {
        commits.writeLock().lock();
        while (!commits.hasQueuedThreads()) {
          Thread.sleep(1);
        }
        System.out.println("held");
      }
      default -> {
        if (checks.isWriteLockedByCurrentThread()) {
          checks.writeLock().unlock();
        } else {
          commits.writeLock().unlock();
        }
      }
    }
  }

  @Override
  public void run() {
    Random random = new Random(Thread.currentThread().getId());
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      while (!ended) {
        write(connection, random);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private void write(Connection connection, Random random) throws SQLException {
    try (IdScope scope = orders.scope()) {
      int rows =
          random.nextInt(100) < largePercent
              ? largeRows + random.nextInt(largeRows)
              : 1 + random.nextInt(10);
      insert(connection, scope, rows);
      Thread.sleep(random.nextInt(largestDelayMillis + 1));
      if (random.nextInt(100) < ROLLED_BACK_PERCENT) {
        connection.rollback();
        return;
      }
      check(scope, connection);
      commits.readLock().lock();
      try {
        connection.commit();
      } finally {
        commits.readLock().unlock();
      }
      committed.incrementAndGet();
    } catch (ScopeExpiredException e) {
      refused.incrementAndGet();
      connection.rollback();
    } catch (FirnException e) { // the lease ran out while this process was stopped
      connection.rollback();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void check(IdScope scope, Connection connection) throws SQLException {
    checks.readLock().lock();
    try {
      if (guarded) {
        scope.beforeCommit(guard.on(connection));
      } else {
        scope.beforeCommit();
      }
    } finally {
      checks.readLock().unlock();
    }
  }

  private static void insert(Connection connection, IdScope scope, int rows) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO outbox (id, uuid) VALUES (?, ?)")) {
      for (int i = 0; i < rows; i++) {
        insert.setLong(1, scope.nextId());
        insert.setString(2, UUIDS.nextId().toString());
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }
}
