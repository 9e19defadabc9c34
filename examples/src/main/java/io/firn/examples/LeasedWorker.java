package io.firn.examples;

// begin imports
import io.firn.IdParts;
import io.firn.Snowflake;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Path;

// end

/** IDs of a worker ID that is leased from files which all processes of the host share. */
public final class LeasedWorker {

  private LeasedWorker() {}

  /** Prints an ID and its fields. */
  public static void main(String[] args) {
    Path directory = Path.of(args[0]);
    // begin leased
    RegisterStore store = FileRegisterStore.open(directory);
    try (Snowflake orders = Snowflake.builder().lease(store, "orders").build()) {
      long id = orders.nextId();
      IdParts parts = orders.layout().parse(id);
      System.out.println(id + " was made at " + parts.instant() + " by worker " + parts.worker());
    }
    // end
  }
}
