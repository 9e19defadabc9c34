package io.firn.jdbc;

import io.firn.lease.StoreException;
import io.firn.lease.StoreUri;
import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The database that a store's registers are in: finds the table at the first call, or makes it;
 * asks, and asks again where that is safe. Thread-safe.
 */
final class Database {

  private static final System.Logger LOGGER = System.getLogger(JdbcRegisterStore.class.getName());

  /** Whenever one statement is rolled back, another that was in its way has succeeded. */
  private static final int MAX_ATTEMPTS = 20;

  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final TimeSource time = TimeSource.system();
  private final ConnectionSource connections;
  private final String tableName;
  private final boolean mayForget;
  private final long timeoutMillis;
  private volatile @Nullable String address;
  private volatile @Nullable RegisterTable table;
  private volatile boolean closed;

  /**
   * Does not connect yet.
   *
   * @param address without secrets; null to ask the database at the first call
   */
  Database(
      ConnectionSource connections,
      @Nullable String address,
      String tableName,
      boolean mayForget,
      long timeoutMillis) {
    this.connections = connections;
    this.address = address;
    this.tableName = tableName;
    this.mayForget = mayForget;
    this.timeoutMillis = timeoutMillis;
  }

  /** A try that failed, and what became of what was asked. */
  private static final class Failure extends Exception {
    private static final long serialVersionUID = 1L;
    private final Fate fate;
    private final SQLException reason;

    Failure(Fate fate, SQLException reason) {
      super(reason);
      this.fate = fate;
      this.reason = reason;
    }
  }

  boolean mayForget() {
    return mayForget;
  }

  /** Asks what may be asked twice. */
  <T> T read(Function<RegisterTable, Query<T>> question) {
    return ask(question, Map.of());
  }

  /**
   * Asks in one statement, and again if that was rolled back, or if its fate is unknown and {@code
   * results} does not say what that means.
   *
   * @param results what to answer for a fate
   * @throws StoreException if it was certainly not applied and never will be
   */
  <T> T ask(Function<RegisterTable, Query<T>> question, Map<Fate, T> results) {
    if (closed) {
      throw new IllegalStateException("store: " + this + " is closed (expected: open)");
    }
    boolean interrupted = Thread.interrupted(); // a call is short, it is finished first
    try {
      return ask(question, results, new Deadline(timeoutMillis));
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private <T> T ask(
      Function<RegisterTable, Query<T>> question, Map<Fate, T> results, Deadline deadline) {
    for (int attempt = 1; ; attempt++) {
      try {
        return once(question, deadline);
      } catch (Failure e) {
        T result = results.get(e.fate);
        if (result != null) {
          logLost(e, deadline);
          return result;
        }
        boolean mayRepeat = e.fate == Fate.ROLLED_BACK || e.fate == Fate.LOST;
        if (!mayRepeat || attempt == MAX_ATTEMPTS || deadline.isOver()) {
          throw failed(this, e.reason, deadline);
        }
      }
      time.parkNanos(time.random(MAX_PAUSE_NANOS));
    }
  }

  /** The caller will read what became of the write; why it has to, only this tells. */
  private void logLost(Failure e, Deadline deadline) {
    if (e.fate == Fate.LOST) {
      LOGGER.log(
          Level.WARNING,
          "store: "
              + this
              + " (expected: to tell what became of a write; asked for "
              + deadline.passedMillis()
              + " ms: "
              + reason(e.reason)
              + ")");
    }
  }

  private <T> T once(Function<RegisterTable, Query<T>> question, Deadline deadline) throws Failure {
    try (Borrowed borrowed = borrow(deadline)) {
      RegisterTable target = found(borrowed);
      try {
        return borrowed.ask(question.apply(target));
      } catch (SQLException e) {
        Fate fate = Fate.of(e, target.dialect());
        if (fate == Fate.REFUSED) {
          table = null; // it may be gone
        }
        throw new Failure(fate, e);
      }
    }
  }

  private Borrowed borrow(Deadline deadline) {
    try {
      return new Borrowed(connections, deadline);
    } catch (SQLException e) {
      throw failed(this, e, deadline);
    }
  }

  /** Whatever fails here, nothing that was asked for has been sent. */
  private RegisterTable found(Borrowed borrowed) throws Failure {
    try {
      borrowed.arrange();
      RegisterTable known = table;
      if (known == null) {
        known = find(borrowed);
        table = known;
      }
      return known;
    } catch (SQLException e) {
      throw new Failure(Fate.ROLLED_BACK, e);
    }
  }

  private RegisterTable find(Borrowed borrowed) throws SQLException {
    RegisterTable sought = identify(borrowed.connection());
    try {
      borrowed.ask(sought.nothing(true));
    } catch (SQLException missing) {
      if (Fate.of(missing, sought.dialect()) != Fate.REFUSED) {
        throw missing;
      }
      make(sought, borrowed, missing);
    }
    return sought;
  }

  private void make(RegisterTable sought, Borrowed borrowed, SQLException missing)
      throws SQLException {
    try {
      borrowed.ask(sought.creation());
    } catch (SQLException failed) {
      if (isThere(sought, borrowed)) {
        return; // another has made it meanwhile
      }
      if (Fate.of(failed, sought.dialect()) != Fate.REFUSED) {
        throw failed;
      }
      missing.addSuppressed(failed);
      throw new StoreException(
          "store: "
              + this
              + " (expected: the table "
              + tableName
              + "; "
              + reason(missing)
              + "; "
              + reason(failed)
              + "). Have it made with:\n"
              + sought.ddl(),
          missing);
    }
  }

  private static boolean isThere(RegisterTable sought, Borrowed borrowed) {
    try {
      borrowed.ask(sought.nothing(true));
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  /** Which kind of database this is, if it is one that can keep registers. */
  private RegisterTable identify(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    if (address == null) {
      address = address(database);
    }
    RegisterTable sought = new RegisterTable(Dialect.of(database), tableName);
    if (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
      throw new StoreException(
          "isolation: READ UNCOMMITTED at " + this + " (expected: READ COMMITTED or stronger)");
    }
    if (mayForget && !sought.hasClock()) {
      throw new StoreException(
          "mayForget: true at " + this + " (expected: false, for it has no clock for versions)");
    }
    return sought;
  }

  /** Where a database is, without secrets. */
  static String address(DatabaseMetaData database) throws SQLException {
    try {
      return StoreUri.parse(database.getURL()).toString();
    } catch (IllegalArgumentException e) {
      return "jdbc:" + database.getDatabaseProductName(); // an address of other rules than ours
    }
  }

  /** The statement that makes the table, be it there or not. */
  String ddl() {
    Deadline deadline = new Deadline(timeoutMillis);
    try (Borrowed borrowed = borrow(deadline)) {
      borrowed.arrange();
      return identify(borrowed.connection()).ddl();
    } catch (SQLException e) {
      throw failed(this, e, deadline);
    }
  }

  void close() {
    closed = true;
    connections.close();
  }

  /** What is said when a database does not do what it was asked for. */
  static StoreException failed(Object store, SQLException e, Deadline deadline) {
    return new StoreException(
        "store: "
            + store
            + " (expected: to answer; tried for "
            + deadline.passedMillis()
            + " ms: "
            + reason(e)
            + ")",
        e);
  }

  /** What the driver says, and what it hides below. */
  static String reason(SQLException e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String text = firstLine(String.valueOf(e.getMessage()));
    return root == e ? text : text + "; " + firstLine(root.toString());
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }

  @Override
  public String toString() {
    String known = address;
    return known == null ? "jdbc:" + tableName : known;
  }
}
