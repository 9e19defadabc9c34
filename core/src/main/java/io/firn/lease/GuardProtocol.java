package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.store.Register;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.Optional;

/**
 * Opens and ends the guards of commits: registers that transactions in the store's database lock
 * before they commit.
 *
 * <h2>Why nothing is committed for a holder that was declared dead</h2>
 *
 * A holder opens its guard with a text that was never written before, renews its lease with a
 * record that says so, and only then has transactions look for that text, under a shared lock that
 * they keep until they end. To declare the holder dead, a process reads the worker's register
 * first, then ends the guard, and then writes the worker's register against the version that it
 * read. Ending the guard waits for the locks of transactions that have found its text. A
 * transaction that looks later finds another text, unless the holder has opened the guard anew. But
 * then the holder must have renewed after the worker's register was read, and the declaration
 * fails.
 *
 * @param namespace the namespace of the workers
 * @param time the source of random texts
 */
record GuardProtocol(NamespaceRegisters namespace, TimeSource time) {

  /** Each is lost to another writer, or its outcome is unknown. */
  private static final int MAX_ATTEMPTS = 4;

  /**
   * Opens the guard of an acquisition, with a text of its own.
   *
   * @return what was written; empty unless the store acknowledged it
   * @throws StoreException if the store cannot be asked
   */
  Optional<Register> open(long worker, String token) {
    String name = namespace.guardRegister(worker);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Optional<Register> written = write(name, namespace.store().read(name), true, token);
      if (written.isPresent()) {
        return written;
      }
    }
    return Optional.empty();
  }

  /**
   * Ends the guard of a holder, if it has one, before the holder is declared dead. Waits, for as
   * long as the store's calls may take, for the transactions that have locked it.
   *
   * @return whether no transaction of that holder can be committed any more, unless it renews
   */
  boolean end(long worker, WorkerRecord holder) {
    if (!holder.guarded()) {
      return true;
    }
    String name = namespace.guardRegister(worker);
    try {
      for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        Optional<Register> before = namespace.store().read(name);
        GuardRecord found = before.map(GuardRecord::parse).orElse(null);
        if (found == null || !found.token().equals(holder.token())) { // written over: it has ended
          return true;
        }
        if (write(name, before, false, holder.token()).isPresent()) {
          return true;
        }
      }
    } catch (StoreException e) { // a transaction may have it locked
      LeaseEvents.logNow(Level.DEBUG, "not ended: " + name, e);
    }
    return false;
  }

  /**
   * Ends the guard of a holder as {@link #end} does.
   *
   * @throws StoreException if a transaction of it may still be committed
   */
  void requireEnded(long worker, WorkerRecord holder) {
    if (!end(worker, holder)) {
      throw new StoreException(
          "Worker "
              + worker
              + " of "
              + namespace.name()
              + " has a transaction that is about to commit, or the store did not answer; end the"
              + " transaction in the database, and try again");
    }
  }

  private Optional<Register> write(
      String name, Optional<Register> before, boolean open, String token) {
    String nonce = RecordText.nonce(time) + RecordText.nonce(time);
    String text = new GuardRecord(open, token, nonce).text();
    long version = before.map(Register::version).orElse(0L);
    WriteResult written = namespace.store().compareAndSet(name, version, text);
    return written.outcome() == WriteResult.Outcome.APPLIED
        ? Optional.of(new Register(name, written.version(), text))
        : Optional.empty();
  }
}
