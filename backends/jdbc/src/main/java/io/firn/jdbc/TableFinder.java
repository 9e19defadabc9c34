package io.firn.jdbc;

import io.firn.store.StoreException;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Finds the table of registers, and creates it if it was never there. Thread-safe.
 *
 * <p>A table that was seen once is never created again. Who drops it restores it from a backup; an
 * empty table in its place would let every worker ID be leased again while its holder still issues
 * IDs, and the restore would fail.
 */
final class TableFinder {

  private final Database database;
  private final boolean createTable;
  private volatile boolean seen;

  TableFinder(Database database, boolean createTable) {
    this.database = database;
    this.createTable = createTable;
  }

  RegisterTable find(RegisterTable sought, Borrowed borrowed) throws SQLException {
    boolean seenBefore = seen; // another thread may create it after this one found none
    SQLException missing = probe(sought, borrowed);
    if (missing != null) {
      if (seenBefore) {
        throw gone(sought, missing);
      }
      create(sought, borrowed, missing);
    }
    seen = true;
    return sought;
  }

  /**
   * Returns the error that says that there is no such table; null if there is.
   *
   * @throws StoreException if the table cannot be read
   */
  private @Nullable SQLException probe(RegisterTable sought, Borrowed borrowed)
      throws SQLException {
    try {
      borrowed.ask(sought.nothing(true));
      return null;
    } catch (SQLException e) {
      if (ErrorKind.of(e, sought.dialect()) != ErrorKind.REFUSED) {
        throw e;
      }
      if (!ErrorKind.saysNoTable(e, sought.dialect())) {
        throw unreadable(sought, e);
      }
      return e;
    }
  }

  private StoreException unreadable(RegisterTable sought, SQLException refused) {
    return new StoreException(
        "Store "
            + database
            + " cannot read its table "
            + sought.name()
            + ": "
            + Database.reason(refused)
            + ". If the right is missing, grant SELECT, INSERT and UPDATE on it; if it is a table of"
            + " another program, name another one with table=NAME",
        refused);
  }

  private StoreException gone(RegisterTable sought, SQLException missing) {
    return new StoreException(
        "Store "
            + database
            + " has lost its table "
            + sought.name()
            + ": "
            + Database.reason(missing)
            + ". It is not created again, because an empty one shows every worker ID as free:"
            + " stop the services, restore the table, wait for a lease window, start them",
        missing);
  }

  private void create(RegisterTable sought, Borrowed borrowed, SQLException missing)
      throws SQLException {
    if (!createTable) {
      throw absent(
          sought, missing, "it is not created with ddl=false, nor by a command that only looks");
    }
    try {
      borrowed.ask(sought.creation());
    } catch (SQLException failed) {
      if (isMadeByAnother(sought, borrowed)) {
        return;
      }
      if (ErrorKind.of(failed, sought.dialect()) != ErrorKind.REFUSED) {
        throw failed;
      }
      missing.addSuppressed(failed);
      throw absent(sought, missing, Database.reason(failed));
    }
  }

  private boolean isMadeByAnother(RegisterTable sought, Borrowed borrowed) {
    try {
      return isThere(sought, borrowed);
    } catch (SQLException e) {
      return false;
    }
  }

  /**
   * Returns whether the table is there, and creates none.
   *
   * @throws StoreException if the table cannot be read
   */
  boolean isThere(RegisterTable sought, Borrowed borrowed) throws SQLException {
    return probe(sought, borrowed) == null;
  }

  private StoreException absent(RegisterTable sought, SQLException missing, String why) {
    return new StoreException(
        "Store "
            + database
            + " has no table "
            + sought.name()
            + ": "
            + Database.reason(missing)
            + "; "
            + why
            + ". If it was dropped, restore it, because an empty one shows every worker ID as free."
            + " If it was never there, create it with:\n"
            + sought.ddl(),
        missing);
  }
}
