package io.firn.jdbc;

import io.firn.FirnException;
import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.RegisterStore;
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
 * resume} lets them go on, {@code end} ends it.
 */
final class OutboxWriter implements Runnable {

  private static final int ROLLED_BACK_PERCENT = 10;
  private static final int LARGE_PERCENT = 3;
  private static final WideIdGenerator<UUID> UUIDS = Uuids.v7();

  private final String url;
  private final Snowflake orders;
  private final int largestDelayMillis;
  private final int largeRows;
  private final AtomicInteger refused = new AtomicInteger();
  private final AtomicInteger committed = new AtomicInteger();
  private final ReentrantReadWriteLock commits = new ReentrantReadWriteLock(true);
  private volatile boolean ended;

  private OutboxWriter(String url, Snowflake orders, int largestDelayMillis, int largeRows) {
    this.url = url;
    this.orders = orders;
    this.largestDelayMillis = largestDelayMillis;
    this.largeRows = largeRows;
  }

  /** The clock of this host, and so far ahead of it. */
  private record Ahead(long millis) implements TimeSource {
    @Override
    public long currentTimeMillis() {
      return TimeSource.system().currentTimeMillis() + millis;
    }

    @Override
    public long nanoTime() {
      return TimeSource.system().nanoTime();
    }

    @Override
    public void parkNanos(long nanos) {
      TimeSource.system().parkNanos(nanos);
    }

    @Override
    public long random(long bound) {
      return TimeSource.system().random(bound);
    }
  }

  /**
   * Arguments: address of the store, of the database, window, how far the clock is ahead, the
   * longest delay before a commit (each in ms), threads, rows of a large transaction.
   */
  public static void main(String[] arguments) throws Exception {
    RegisterStore store = RegisterStore.open(arguments[0]);
    LeaseConfig lease =
        LeaseConfig.builder(store, OutboxTest.NAMESPACE)
            .window(Duration.ofMillis(Long.parseLong(arguments[2])))
            .maxSplit(OutboxTest.GRACE)
            .acquireTimeout(Duration.ofMinutes(1))
            .build();
    Snowflake orders =
        Snowflake.builder()
            .lease(lease)
            .timeSource(new Ahead(Long.parseLong(arguments[3])))
            .build();
    OutboxWriter writer =
        new OutboxWriter(
            arguments[1], orders, Integer.parseInt(arguments[4]), Integer.parseInt(arguments[6]));
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(arguments[5]); i++) {
      threads.add(new Thread(writer));
    }
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    System.out.println("worker " + orders.leaseStatus().orElseThrow().worker());
    threads.forEach(Thread::start);
    for (String line = in.readLine(); line != null && !line.equals("end"); line = in.readLine()) {
      if (line.equals("pause")) {
        writer.commits.writeLock().lock();
        System.out.println("paused");
      } else {
        writer.commits.writeLock().unlock();
      }
    }
    writer.ended = true;
    for (Thread thread : threads) {
      thread.join();
    }
    orders.close();
    store.close();
    System.out.println("committed " + writer.committed + ", refused " + writer.refused);
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
      int rows = random.nextInt(100) < LARGE_PERCENT ? largeRows : 1 + random.nextInt(10);
      insert(connection, scope, rows);
      Thread.sleep(random.nextInt(largestDelayMillis + 1));
      if (random.nextInt(100) < ROLLED_BACK_PERCENT) {
        connection.rollback();
        return;
      }
      commits.readLock().lock();
      try {
        scope.beforeCommit();
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
