package io.firn.jdbc;

import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import io.firn.store.StoreUri;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The database that a store's registers are in: asks, and asks again where that is safe.
 * Thread-safe.
 */
final class Database {

  private static final System.Logger LOGGER = System.getLogger(JdbcRegisterStore.class.getName());

  /** Whenever one statement is rolled back, another that was in its way has succeeded. */
  private static final int MAX_ATTEMPTS = 20;

  private final ConnectionSource connections;
  private final String tableName;
  private final boolean mayForget;
  private final boolean allowsCounters;
  private final Duration timeout;
  private final TableFinder finder;
  private volatile @Nullable String address;
  private volatile @Nullable RegisterTable table;

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
      boolean allowsCounters,
      boolean createTable,
      Duration timeout) {
    this.connections = connections;
    this.address = address;
    this.tableName = tableName;
    this.mayForget = mayForget;
    this.allowsCounters = allowsCounters;
    this.timeout = timeout;
    finder = new TableFinder(this, createTable);
  }

  /** An attempt that failed, and its kind of failure. */
  private static final class Failure extends Exception {
    private static final long serialVersionUID = 1L;
    private final ErrorKind kind;
    private final SQLException reason;
    private final transient StoreCall call;

    Failure(ErrorKind kind, SQLException reason, StoreCall call) {
      super(reason);
      this.kind = kind;
      this.reason = reason;
      this.call = call;
    }
  }

  boolean mayForget() {
    return mayForget;
  }

  boolean allowsCounters() {
    return allowsCounters || !mayForget;
  }

  /** Asks what may be asked twice. */
  <T> T read(Function<RegisterTable, Query<T>> question, StoreCall borrowing) {
    return ask(question, Map.of(), borrowing);
  }

  /**
   * Asks in one statement, and again if that was rolled back, or if its outcome is unknown and
   * {@code results} does not say what that means.
   *
   * @param results what to return for a kind of error
   * @param borrowing how long it may take to get a connection
   * @throws StoreException if it was certainly not applied and never will be
   */
  <T> T ask(
      Function<RegisterTable, Query<T>> question, Map<ErrorKind, T> results, StoreCall borrowing) {
    return run((table, borrowed) -> borrowed.ask(question.apply(table)), results, borrowing);
  }

  /** A request to a table over one connection. */
  interface Action<T> {
    T run(RegisterTable table, Borrowed borrowed) throws SQLException;
  }

  /** Runs what is one statement or one transaction, as {@link #ask} does. */
  <T> T run(Action<T> action, Map<ErrorKind, T> results, StoreCall borrowing) {
    StoreCall begun = null;
    for (int attempt = 1; ; attempt++) {
      StoreCall before = begun;
      try (Borrowed borrowed =
          borrow(borrowing, () -> before == null ? new StoreCall(this, timeout) : before)) {
        begun = borrowed.call();
        return once(action, borrowed);
      } catch (Failure e) {
        T result = results.get(e.kind);
        if (result != null) {
          logLost(e);
          return result;
        }
        boolean mayRepeat = e.kind == ErrorKind.ROLLED_BACK || e.kind == ErrorKind.LOST;
        if (!mayRepeat || attempt == MAX_ATTEMPTS || e.call.isOver()) {
          throw failed(e.call, e.reason);
        }
        e.call.pause();
      }
    }
  }

  /** Logs why the outcome of a write is unknown; the caller reads the register. */
  private void logLost(Failure e) {
    if (e.kind == ErrorKind.LOST) {
      LOGGER.log(Level.WARNING, e.call.unknownWrite(reason(e.reason)));
    }
  }

  private <T> T once(Action<T> action, Borrowed borrowed) throws Failure {
    RegisterTable target = found(borrowed);
    try {
      return action.run(target, borrowed);
    } catch (SQLException e) {
      ErrorKind kind = ErrorKind.of(e, target.dialect());
      if (kind == ErrorKind.REFUSED) {
        table = null; // it may be gone
      }
      throw new Failure(kind, e, borrowed.call());
    }
  }

  private Borrowed borrow(StoreCall borrowing, Supplier<StoreCall> statements) {
    try {
      return new Borrowed(connections, borrowing, statements);
    } catch (SQLException e) {
      throw failed(borrowing, e);
    }
  }

  /** A failure here means that the request was not sent. */
  private RegisterTable found(Borrowed borrowed) throws Failure {
    try {
      borrowed.arrange();
      RegisterTable known = table;
      RegisterTable sought = known == null ? identify(borrowed) : known;
      borrowed.limitLocks(sought.dialect(), Dialect.lockMillis(timeout.toMillis()));
      if (known == null) {
        table = finder.find(sought, borrowed);
      }
      return sought;
    } catch (SQLException e) {
      boolean locked = ErrorKind.of(e, borrowed.dialect()) == ErrorKind.LOCKED;
      throw new Failure(locked ? ErrorKind.LOCKED : ErrorKind.ROLLED_BACK, e, borrowed.call());
    }
  }

  /** Returns the register table for this kind of database, if it can keep registers. */
  private RegisterTable identify(Borrowed borrowed) throws SQLException {
    Connection connection = borrowed.connection();
    DatabaseMetaData database = connection.getMetaData();
    if (address == null) {
      address = address(database);
    }
    RegisterTable sought = new RegisterTable(Dialect.of(borrowed), tableName);
    if (connection.getTransactionIsolation() == Connection.TRANSACTION_READ_UNCOMMITTED) {
      throw new StoreException(
          "Store "
              + this
              + " reads with isolation READ UNCOMMITTED; set the isolation of the connections to"
              + " READ COMMITTED");
    }
    if (mayForget && !sought.hasClock()) {
      throw new StoreException(
          "Store "
              + this
              + " has no clock for versions, without which it must not forget; drop"
              + " may-forget=true");
    }
    if (!mayForget) {
      Durability.warn(this, sought.dialect(), borrowed);
    }
    return sought;
  }

  /** The address of a database, without secrets. */
  static String address(DatabaseMetaData database) throws SQLException {
    try {
      return StoreUri.parse(database.getURL()).toString();
    } catch (IllegalArgumentException e) {
      return "jdbc:" + database.getDatabaseProductName(); // an address of other rules than ours
    }
  }

  /** The statement that makes the table, be it there or not. */
  String ddl(StoreCall borrowing) {
    try (Borrowed borrowed = borrow(borrowing, () -> new StoreCall(this, timeout))) {
      borrowed.arrange();
      return identify(borrowed).ddl();
    } catch (SQLException e) {
      throw failed(borrowing, e);
    }
  }

  /** Returns whether the table is there, and creates none. */
  boolean hasTable(StoreCall borrowing) {
    try (Borrowed borrowed = borrow(borrowing, () -> new StoreCall(this, timeout))) {
      borrowed.arrange();
      return finder.isThere(new RegisterTable(Dialect.of(borrowed), tableName), borrowed);
    } catch (SQLException e) {
      throw failed(borrowing, e);
    }
  }

  void close() {
    connections.close();
  }

  /** Returns the message for a database that rejected or failed a request. */
  static StoreException failed(StoreCall call, SQLException e) {
    return call.failed(reason(e), e);
  }

  /** Returns the message of the driver, and that of its innermost cause if it says more. */
  static String reason(SQLException e) {
    Throwable root = e;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String text = firstLine(String.valueOf(e.getMessage()));
    String innermost = root == e ? "" : StoreCall.reason(root);
    return text.contains(innermost) ? text : text + "; " + innermost;
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
