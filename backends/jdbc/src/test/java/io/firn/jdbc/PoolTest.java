package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseStatus;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import io.firn.testkit.CuttingProxy;
import io.firn.testkit.TestThreads;
import io.firn.time.TimeSource;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Over a pool, whatever its connections are set to. */
class PoolTest {

  private static final int THREADS = 4;
  private static final int WRITES = 25;
  private static final int ROUNDS = 40;

  private final String table = TestDatabase.newTable();

  private static HikariConfig config(TestDatabase database) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(THREADS);
    config.setConnectionTimeout(30_000);
    return config;
  }

  private JdbcRegisterStore store(HikariDataSource pool) {
    return JdbcRegisterStore.builder(pool).table(table).timeout(Duration.ofSeconds(20)).build();
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRES, READ_COMMITTED, true, ",
    "POSTGRES, READ_COMMITTED, false, ",
    "POSTGRES, REPEATABLE_READ, true, ",
    "POSTGRES, SERIALIZABLE, true, ",
    "POSTGRES, SERIALIZABLE, false, ",
    "MARIADB, READ_COMMITTED, true, ",
    "MARIADB, REPEATABLE_READ, true, ",
    "MARIADB, REPEATABLE_READ, false, SET innodb_snapshot_isolation = 1",
    "MARIADB, SERIALIZABLE, true, ",
    "MARIADB, SERIALIZABLE, false, ",
  })
  void incrementsAreNotLost(
      TestDatabase database, String isolation, boolean autoCommit, String first) throws Exception {
    HikariConfig config = config(database);
    config.setTransactionIsolation("TRANSACTION_" + isolation);
    config.setAutoCommit(autoCommit);
    config.setConnectionInitSql(first);
    try (HikariDataSource pool = new HikariDataSource(config);
        RegisterStore store = store(pool)) {
      TestThreads writers = new TestThreads();
      for (int t = 0; t < THREADS; t++) {
        writers.start(() -> increment(store));
      }
      writers.join();
      assertThat(store.read("counter"))
          .get()
          .extracting(Register::value)
          .isEqualTo("" + THREADS * WRITES);
    }
  }

  private static void increment(RegisterStore store) {
    for (int written = 0; written < WRITES; ) {
      Register before = store.read("counter").orElse(new Register("counter", 0, "0"));
      WriteResult result =
          store.compareAndSet(
              before.name(), before.version(), "" + (Integer.parseInt(before.value()) + 1));
      assertThat(result.outcome()).isNotEqualTo(Outcome.UNKNOWN);
      written += result.outcome() == Outcome.APPLIED ? 1 : 0;
    }
  }

  /** Each of the first calls may find no table, while another one creates it. */
  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void firstCallsOfManyThreadsAgreeThatTheTableIsNew(TestDatabase database) throws Exception {
    try (HikariDataSource pool = new HikariDataSource(config(database))) {
      for (int round = 0; round < ROUNDS; round++) {
        try (RegisterStore store =
            JdbcRegisterStore.builder(pool)
                .table(TestDatabase.newTable())
                .timeout(Duration.ofSeconds(20))
                .build()) {
          List<Callable<Outcome>> writers = new ArrayList<>();
          for (int t = 0; t < THREADS; t++) {
            String name = "writer " + t;
            writers.add(() -> store.compareAndSet(name, 0, "x").outcome());
          }
          assertThat(TestThreads.together(writers)).containsOnly(Outcome.APPLIED);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void dirtyReadsAreRefused(TestDatabase database) {
    HikariConfig config = config(database);
    config.setTransactionIsolation("TRANSACTION_READ_UNCOMMITTED");
    try (HikariDataSource pool = new HikariDataSource(config);
        RegisterStore store = store(pool)) {
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "Store "
                  + database.url()
                  + " reads with isolation READ UNCOMMITTED; set the isolation of the connections"
                  + " to READ COMMITTED");
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void poolIsNamedByItsDatabaseAndLeftOpen(TestDatabase database) throws SQLException {
    try (HikariDataSource pool = new HikariDataSource(config(database))) {
      JdbcRegisterStore store = JdbcRegisterStore.of(pool);
      assertThat(store).hasToString("jdbc:firn_register");
      store.read("a");
      assertThat(store).hasToString(database.url());
      store.close();
      try (Connection connection = pool.getConnection()) {
        assertThat(connection.isValid(1)).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void deadConnectionsOfAPoolAreReadPast(TestDatabase database) throws SQLException {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address())) {
      HikariConfig config = config(database);
      config.setJdbcUrl(database.url(proxy.address()));
      config.setMinimumIdle(THREADS);
      try (HikariDataSource pool = new HikariDataSource(config);
          RegisterStore store = store(pool)) {
        long version = store.compareAndSet("a", 0, "one").version();
        proxy.refuse();
        proxy.heal();
        assertThat(store.read("a")).contains(new Register("a", version, "one"));
      }
    }
  }

  /** Waits before it hands out a connection of the pool behind it. */
  private static DataSource slow(HikariDataSource pool, Duration wait) {
    TimeSource time = TimeSource.system();
    return intercepted(
        pool,
        connection -> {
          long end = time.nanoTime() + wait.toNanos();
          while (time.nanoTime() < end) {
            time.parkNanos(end - time.nanoTime());
          }
        });
  }

  /** Does something before it hands out a connection of the pool behind it. */
  private static DataSource intercepted(HikariDataSource pool, Consumer<Connection> before) {
    return (DataSource)
        Proxy.newProxyInstance(
            PoolTest.class.getClassLoader(),
            new Class<?>[] {DataSource.class},
            (proxy, method, args) -> {
              Object result = method.invoke(pool, args);
              if (result instanceof Connection connection) {
                before.accept(connection);
              }
              return result;
            });
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void waitForThePoolTakesNothingFromTheStatement(TestDatabase database) {
    HikariConfig config = config(database);
    config.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(config);
        RegisterStore first = store(pool);
        RegisterStore store =
            JdbcRegisterStore.builder(slow(pool, Duration.ofMillis(2_200)))
                .table(table)
                .timeout(Duration.ofSeconds(2))
                .borrowTimeout(Duration.ofSeconds(60))
                .build()) {
      assertThat(first.read("a")).isEmpty(); // makes the table
      long version = 0;
      for (int i = 0; i < 2; i++) {
        WriteResult result = store.compareAndSet("a", version, "x" + i);
        assertThat(result.outcome()).isEqualTo(Outcome.APPLIED);
        version = result.version();
      }
    }
  }

  /** The database hangs once the connection is borrowed. */
  @Test
  void statementDoesNotHaveTheTimeOfBorrowing() throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(TestDatabase.POSTGRES.server().address())) {
      HikariConfig config = config(TestDatabase.POSTGRES);
      config.setJdbcUrl(TestDatabase.POSTGRES.url(proxy.address()));
      config.setMaximumPoolSize(1);
      try (HikariDataSource pool = new HikariDataSource(config);
          RegisterStore store =
              JdbcRegisterStore.builder(intercepted(pool, connection -> proxy.stall()))
                  .table(table)
                  .timeout(Duration.ofSeconds(2))
                  .borrowTimeout(Duration.ofMinutes(1))
                  .build()) {
        long begin = TimeSource.system().nanoTime();
        assertThatThrownBy(() -> store.read("a")).isInstanceOf(StoreException.class);
        assertThat(Duration.ofNanos(TimeSource.system().nanoTime() - begin))
            .isLessThan(Duration.ofSeconds(45));
        proxy.refuse(); // the pool waits 30 s for a connection that it is opening
      }
    }
  }

  @Test
  void poolThatGivesNoConnectionFailsTheCallInTime() {
    HikariConfig config = config(TestDatabase.POSTGRES);
    config.setMaximumPoolSize(1);
    try (HikariDataSource pool = new HikariDataSource(config);
        RegisterStore store =
            JdbcRegisterStore.builder(slow(pool, Duration.ofMinutes(2)))
                .table(table)
                .borrowTimeout(Duration.ofMillis(100))
                .build()) {
      long begin = TimeSource.system().nanoTime();
      assertThatThrownBy(() -> store.compareAndSet("a", 0, "x"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("no connection came in time");
      assertThat(Duration.ofNanos(TimeSource.system().nanoTime() - begin))
          .isLessThan(Duration.ofSeconds(60));
    }
  }

  /** HikariCP itself waits for 30 s, which is twice what a lease has left. */
  @Test
  void databaseThatHangsBehindAPoolIsReportedBeforeTheWindowEnds() throws Exception {
    Duration window = Duration.ofSeconds(16);
    Duration limit = Duration.ofSeconds(1);
    try (CuttingProxy proxy = CuttingProxy.to(TestDatabase.POSTGRES.server().address())) {
      HikariConfig config = config(TestDatabase.POSTGRES);
      config.setJdbcUrl(TestDatabase.POSTGRES.url(proxy.address()));
      try (HikariDataSource pool = new HikariDataSource(config);
          RegisterStore store =
              JdbcRegisterStore.builder(pool)
                  .table(table)
                  .timeout(limit)
                  .borrowTimeout(limit)
                  .build();
          Snowflake ids =
              Snowflake.builder()
                  .lease(LeaseConfig.builder(store, "orders").window(window).build())
                  .build()) {
        ids.nextId();
        proxy.stall();
        while (status(ids).lastError().isEmpty()) {
          TimeSource.system().parkNanos(limit.toNanos() / 10);
        }
        LeaseStatus failed = status(ids);
        assertThat(failed.taken()).isBefore(failed.fence());
        ids.nextId();
        proxy.heal();
      }
    }
  }

  private static LeaseStatus status(Snowflake ids) {
    return ids.leaseStatus().orElseThrow();
  }

  /** Hands out one connection again and again, and puts nothing right in between. */
  private record Lender(Connection connection) implements ConnectionSource {
    @Override
    public Connection take(StoreCall call) {
      return connection;
    }

    @Override
    public void giveBack(Connection taken, boolean healthy) {}

    @Override
    public void close() {}
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void connectionIsGivenBackAsItWas(TestDatabase database) throws SQLException {
    for (boolean autoCommit : new boolean[] {true, false}) {
      try (Connection connection = DriverManager.getConnection(database.url());
          RegisterStore store =
              new JdbcRegisterStore.Builder(new Lender(connection), null).table(table).build()) {
        connection.setAutoCommit(autoCommit);
        connection.setNetworkTimeout(Runnable::run, 12_345);
        connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        String name = "a" + autoCommit;

        store.read(name);
        long version = store.compareAndSet(name, 0, "one").version();
        store.compareAndSet(name, version, "two");
        store.compareAndSet(name, 0, "three");
        store.scan("");
        store.currentTimeMillis();

        assertThat(connection.getAutoCommit()).isEqualTo(autoCommit);
        assertThat(connection.getNetworkTimeout()).isEqualTo(12_345);
        assertThat(connection.getTransactionIsolation())
            .isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        assertThat(database.openTransactions()).isEqualTo("0");
        try (RegisterStore other = database.open("table=" + table)) {
          assertThat(other.read(name)).get().extracting(Register::value).isEqualTo("two");
        }
      }
    }
  }

  @Test
  void sessionOfAPoolKeepsItsOwnSettingOfCommits() throws SQLException {
    try (Connection connection = DriverManager.getConnection(TestDatabase.POSTGRES.url());
        Statement session = connection.createStatement();
        RegisterStore store =
            new JdbcRegisterStore.Builder(new Lender(connection), null).table(table).build()) {
      session.execute("SET synchronous_commit = off");

      long version = store.compareAndSet("a", 0, "one").version();
      assertThat(store.compareAndSet("a", version, "two").outcome()).isEqualTo(Outcome.APPLIED);

      try (ResultSet setting = session.executeQuery("SHOW synchronous_commit")) {
        assertThat(setting.next()).isTrue();
        assertThat(setting.getString(1)).isEqualTo("off");
      }
    }
  }
}
