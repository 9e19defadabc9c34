package io.firn.jdbc;

import io.firn.lease.Register;
import io.firn.lease.RegisterStore;
import io.firn.lease.StoreException;
import io.firn.lease.WriteResult;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
 * UNCOMMITTED is refused, for what it would read.
 *
 * <p>It is left to the database to show nobody a commit that is not on the disk yet, or a crash
 * takes back what was read. PostgreSQL keeps to that unless {@code fsync} or {@code
 * synchronous_commit} is off; MySQL and MariaDB with {@code innodb_flush_log_at_trx_commit=1},
 * {@code log_bin} and {@code sync_binlog=1}, of which MariaDB's defaults lack the last two; SQLite
 * with {@code synchronous=EXTRA}, or FULL and a write-ahead log. H2 forces no commit to the disk.
 *
 * <h2>Versions</h2>
 *
 * A version is the database's clock in microseconds, or one more than the version before if that is
 * not less. So versions do not come again when the database falls back to an older state, as when
 * an asynchronous replica takes over; who has such replicas must say so by {@link
 * Builder#mayForget}. SQLite and unknown databases count from 1, and may not forget.
 *
 * <h2>Trouble</h2>
 *
 * Where there is no connection, or the database refuses, a call fails with a {@link
 * StoreException}. A write whose reply does not come is {@link WriteResult#UNKNOWN}; if it waits
 * for another's lock, it may be applied when that is released. The next call connects anew.
 *
 * <p>The table is made at the first call if it is not there, and again if it is gone. Who may not
 * make tables finds the statement for it in the exception, and in {@link #ddl}.
 */
public final class JdbcRegisterStore implements RegisterStore {

  private final Database database;

  JdbcRegisterStore(Database database) {
    this.database = database;
  }

  /** A store with all settings as they are in a new {@link #builder}. */
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
  public Optional<Register> read(String name) {
    return readAll(List.of(name)).stream().findFirst();
  }

  @Override
  public List<Register> readAll(List<String> names) {
    names.forEach(Register::requireName);
    return names.isEmpty() ? List.of() : database.read(table -> table.named(Set.copyOf(names)));
  }

  @Override
  public List<Register> scan(String prefix) {
    return database.read(table -> table.beginningWith(prefix));
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    Register.requireName(name);
    Register.requireValue(value);
    return database.ask(
        table -> table.compareAndSet(name, expectedVersion, value),
        expectedVersion == 0
            ? Map.of(Fate.LOST, WriteResult.UNKNOWN, Fate.DUPLICATE, WriteResult.CONFLICT)
            : Map.of(Fate.LOST, WriteResult.UNKNOWN));
  }

  @Override
  public OptionalLong currentTimeMillis() {
    return database.read(RegisterTable::clockMillis);
  }

  @Override
  public boolean mayForget() {
    return database.mayForget();
  }

  /**
   * The statement that makes the table in this database, for those who make their tables
   * themselves.
   *
   * @throws StoreException if the database does not answer which one it is
   */
  public String ddl() {
    return database.ddl();
  }

  @Override
  public void close() {
    database.close();
  }

  @Override
  public String toString() {
    return database.toString();
  }

  /** Collects the settings of a store. Not thread-safe. */
  public static final class Builder {

    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

    private final ConnectionSource connections;
    private final @Nullable String address;
    private String table = "firn_register";
    private Duration timeout = Duration.ofSeconds(3);
    private boolean mayForget;

    Builder(ConnectionSource connections, @Nullable String address) {
      this.connections = connections;
      this.address = address;
    }

    /**
     * The table; {@code firn_register} unless set.
     *
     * @param table {@code NAME} or {@code SCHEMA.NAME}, of ASCII letters, digits and underscores
     */
    public Builder table(String table) {
      this.table = RegisterTable.requireName("table", table);
      return this;
    }

    /**
     * How long one call may take: 1 ms..1 minute, 3 s unless set. What a pool takes to give a
     * connection comes on top; have it give up after as long.
     */
    public Builder timeout(Duration timeout) {
      if (timeout.toMillis() < 1 || timeout.compareTo(MAX_TIMEOUT) > 0) {
        throw new IllegalArgumentException("timeout: " + timeout + " (expected: 1 ms..1 minute)");
      }
      this.timeout = timeout;
      return this;
    }

    /**
     * Whether the database may fall back to an older state: one with asynchronous replicas, of
     * which one takes over when it fails. False unless set.
     */
    public Builder mayForget(boolean mayForget) {
      this.mayForget = mayForget;
      return this;
    }

    /** Builds the store; it does not connect before the first call. */
    public JdbcRegisterStore build() {
      return new JdbcRegisterStore(
          new Database(connections, address, table, mayForget, timeout.toMillis()));
    }
  }
}
