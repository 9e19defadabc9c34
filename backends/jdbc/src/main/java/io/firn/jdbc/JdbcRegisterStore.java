package io.firn.jdbc;

import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RemoteRegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import io.firn.store.StoreSettings;
import io.firn.store.WriteResult;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Registers as rows of one table of a relational database: PostgreSQL, MySQL, MariaDB, H2, SQLite,
 * and others as far as they keep to the standard. Thread-safe.
 *
 * <pre>{@code
 * SELECT * FROM firn_register;
 *
 * name            | version          | value
 * orders/layout   | 1795277489593609 | firn-namespace/1 layout=...
 * orders/worker/3 | 1795277511020417 | firn-worker/1 state=held fence=... holder=host-7 ...
 * }</pre>
 *
 * <h2>Why it is linearizable</h2>
 *
 * Every call is one statement and a transaction of its own, whatever the connection was set to. A
 * write updates the row that has that name and version, and the database lets one writer of a row
 * past the other; the first write inserts the row, and the primary key lets one through. That holds
 * at every isolation level. Where a strict one rolls a statement back, it is sent again; READ
 * UNCOMMITTED is refused, because of the rows that it would read.
 *
 * <p>The database must not show a commit before it is on the disk, or a crash takes back what was
 * read. PostgreSQL keeps to that unless {@code fsync} or {@code synchronous_commit} is off; MySQL
 * and MariaDB with {@code innodb_flush_log_at_trx_commit=1}, {@code log_bin} and {@code
 * sync_binlog=1}, of which MariaDB's defaults lack the last two; SQLite with {@code
 * synchronous=EXTRA}, or FULL and a write-ahead log. H2 forces no commit to the disk.
 *
 * <h2>Versions</h2>
 *
 * A version is the database's clock in microseconds. Where the version before is not less than
 * that, because a clock was ahead, the next is larger by a random number up to 2^20. So versions do
 * not come again when the database falls back to an older state, as when an asynchronous replica
 * takes over; such replicas must be declared by {@link Builder#mayForget}. SQLite and unknown
 * databases count from the client's clock at the first write on, and may not forget.
 *
 * <h2>Failures</h2>
 *
 * Where there is no connection, or the database refuses, a call fails with a {@link
 * StoreException}. A write whose reply does not come is {@link WriteResult#UNKNOWN}. The next call
 * connects again.
 *
 * <p>PostgreSQL and MariaDB end a statement that has waited three quarters of its time for
 * another's lock (MariaDB counts whole seconds, at least one); the call fails with a {@link
 * StoreException}. MySQL does the same if the store has its connection from an address; over a
 * {@link DataSource}, the session's {@code innodb_lock_wait_timeout} and {@code lock_wait_timeout}
 * decide, and until then a write may be applied. PostgreSQL also ends a transaction of a process
 * that is stopped in the middle.
 *
 * <p>The table is created at the first call if it is not there ({@link Builder#createTable}). A
 * user who may not create tables finds the statement for it in the exception, and in {@link #ddl}.
 * A table that this store has seen is never created again: if it is gone, someone restores it, and
 * an empty one would show every worker ID as free.
 */
public final class JdbcRegisterStore extends RemoteRegisterStore {

  /** The default table. */
  public static final String TABLE = "firn_register";

  private final Database database;
  private final Duration callTimeout;

  JdbcRegisterStore(Database database, Duration borrowTimeout, Duration timeout) {
    super(borrowTimeout);
    this.database = database;
    callTimeout = borrowTimeout.plus(timeout);
  }

  /** Returns a store with all settings as they are in a new {@link #builder}. */
  public static JdbcRegisterStore of(DataSource source) {
    return builder(source).build();
  }

  /**
   * Starts a store over connections of that source, which is not closed with it. They must not be
   * those of a transaction that the caller is in.
   */
  public static Builder builder(DataSource source) {
    return new Builder(ConnectionSource.of(source), null);
  }

  @Override
  protected List<Register> readAll(List<String> names, StoreCall call) {
    return database.read(table -> table.named(Set.copyOf(names)), call);
  }

  @Override
  protected List<Register> scan(String prefix, StoreCall call) {
    return database.read(table -> table.beginningWith(prefix), call);
  }

  /** Returns true: one statement reads what was committed before it. */
  @Override
  public boolean isScanCurrent() {
    return true;
  }

  @Override
  protected WriteResult compareAndSet(
      String name, long expectedVersion, String value, StoreCall call) {
    return database.ask(
        table -> table.compareAndSet(name, expectedVersion, value), results(expectedVersion), call);
  }

  private static Map<ErrorKind, WriteResult> results(long expectedVersion) {
    return expectedVersion == 0
        ? Map.of(ErrorKind.LOST, WriteResult.UNKNOWN, ErrorKind.DUPLICATE, WriteResult.CONFLICT)
        : Map.of(ErrorKind.LOST, WriteResult.UNKNOWN);
  }

  @Override
  protected Optional<Snapshot> snapshot(List<String> names, StoreCall call) {
    return database.run(
        (table, borrowed) ->
            table.hasIdentity()
                ? borrowed.ask(table.snapshot(Set.copyOf(names)))
                : Optional.empty(),
        Map.of(),
        call);
  }

  @Override
  protected WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding, StoreCall call) {
    boolean own = binding.register().equals(name);
    if (own && binding.version() != expectedVersion) {
      return WriteResult.CONFLICT;
    }
    return database.run(
        (table, borrowed) ->
            borrowed.inTransaction(
                () ->
                    borrowed.ask(own ? table.isIdentityOf(binding) : table.holds(binding))
                        ? borrowed.ask(table.compareAndSet(name, expectedVersion, value))
                        : WriteResult.CONFLICT),
        results(expectedVersion),
        call);
  }

  @Override
  protected OptionalLong currentTimeMillis(StoreCall call) {
    return database.read(RegisterTable::clockMillis, call);
  }

  /** Returns the time for a connection and the time for the statements together. */
  @Override
  public Optional<Duration> callTimeout() {
    return Optional.of(callTimeout);
  }

  @Override
  public boolean mayForget() {
    return database.mayForget();
  }

  @Override
  public boolean allowsCounters() {
    return database.allowsCounters();
  }

  /**
   * Returns the statement that creates the table in this database, for users who create their
   * tables themselves.
   *
   * @throws StoreException if the database does not answer which one it is
   */
  public String ddl() {
    return call(database::ddl);
  }

  /**
   * Returns whether the table is there. Creates none.
   *
   * @throws StoreException if the database does not answer, or the table cannot be read
   */
  public boolean hasTable() {
    return call(database::hasTable);
  }

  /**
   * Returns the statement that makes the table in a kind of database, without asking one.
   *
   * @param database one of {@link #databases}
   * @param table {@code NAME} or {@code SCHEMA.NAME}
   * @throws IllegalArgumentException if the database is not known, or the table cannot have that
   *     name
   */
  public static String ddl(String database, String table) {
    if (!databases().contains(database)) {
      throw new IllegalArgumentException(
          "database: " + database + " (expected: one of " + String.join(", ", databases()) + ")");
    }
    return Dialect.valueOf(database.toUpperCase(Locale.ROOT))
        .ddl(RegisterTable.requireName("table", table));
  }

  /**
   * Returns the file of a database on this host, as SQLite and H2 have one.
   *
   * @param url the address of the database, {@code jdbc:sqlite:FILE} or {@code jdbc:h2:FILE}; its
   *     parameters do not matter
   * @return empty for any other address
   */
  public static Optional<Path> file(String url) {
    return KnownDriver.of(url).flatMap(driver -> driver.file(url));
  }

  /**
   * Returns whether a database is in the memory of one process, and ends with it.
   *
   * @param url the address of the database; {@code jdbc:h2:mem:NAME} is one
   */
  public static boolean isInMemory(String url) {
    return KnownDriver.of(url).stream().anyMatch(driver -> driver.isInMemory(url));
  }

  /** Returns the kinds of databases whose statements differ: {@code postgresql} and so on. */
  public static List<String> databases() {
    return Arrays.stream(Dialect.values())
        .map(dialect -> dialect.name().toLowerCase(Locale.ROOT))
        .toList();
  }

  @Override
  protected void disconnect() {
    database.close();
  }

  @Override
  public String toString() {
    return database.toString();
  }

  /** Collects the settings of a store. Each can be set once. Not thread-safe. */
  public static final class Builder {

    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final ConnectionSource connections;
    private final @Nullable String address;
    private @Nullable String table;
    private @Nullable Duration timeout;
    private @Nullable Duration borrowTimeout;
    private @Nullable Boolean mayForget;
    private @Nullable Boolean allowCounters;
    private @Nullable Boolean createTable;
    private boolean built;

    Builder(ConnectionSource connections, @Nullable String address) {
      this.connections = connections;
      this.address = address;
    }

    /**
     * Sets the table; {@value #TABLE} unless set.
     *
     * @param table {@code NAME} or {@code SCHEMA.NAME}, of ASCII letters, digits and underscores
     */
    public Builder table(String table) {
      this.table = once("table", this.table, RegisterTable.requireName("table", table));
      return this;
    }

    /**
     * Sets how long the statements of one call may take, from the arrival of a connection on: 1
     * ms..1 minute, 3 s unless set.
     */
    public Builder timeout(Duration timeout) {
      this.timeout = once("timeout", this.timeout, StoreSettings.timeout("timeout", timeout));
      return this;
    }

    /**
     * Sets how long a call waits for a connection: 1 ms..1 minute, 3 s unless set. If there is none
     * by then, the call fails and nothing was sent.
     */
    public Builder borrowTimeout(Duration borrowTimeout) {
      this.borrowTimeout =
          once(
              "borrowTimeout",
              this.borrowTimeout,
              StoreSettings.timeout("borrowTimeout", borrowTimeout));
      return this;
    }

    /** Sets whether the store creates its table if that is not there; true unless set. */
    public Builder createTable(boolean createTable) {
      this.createTable = once("createTable", this.createTable, createTable);
      return this;
    }

    /**
     * Sets whether the database may fall back to an older state: one with asynchronous replicas, of
     * which one takes over when it fails. False unless set.
     */
    public Builder mayForget(boolean mayForget) {
      this.mayForget = once("mayForget", this.mayForget, mayForget);
      return this;
    }

    /** Sets whether counters are allowed although the database may forget; false unless set. */
    public Builder allowCounters(boolean allowCounters) {
      this.allowCounters = once("allowCounters", this.allowCounters, allowCounters);
      return this;
    }

    /** Builds the store; it does not connect before the first call. */
    public JdbcRegisterStore build() {
      built = buildOnce(built);
      Duration borrowing = Objects.requireNonNullElse(borrowTimeout, TIMEOUT);
      Duration asking = Objects.requireNonNullElse(timeout, TIMEOUT);
      Database database =
          new Database(
              connections,
              address,
              Objects.requireNonNullElse(table, TABLE),
              Objects.requireNonNullElse(mayForget, false),
              Objects.requireNonNullElse(allowCounters, false),
              Objects.requireNonNullElse(createTable, true),
              asking);
      return new JdbcRegisterStore(database, borrowing, asking);
    }
  }
}
