package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The value of the register that guards the commits of a holder, which transactions in the store's
 * database lock before they commit.
 *
 * <h2>Why nothing is committed for a holder that was declared dead</h2>
 *
 * A holder opens its guard with a text that nobody wrote before, renews its lease with a record
 * that says so, and only then has transactions look for that text, under a shared lock that they
 * keep until they end. Who declares the holder dead reads the worker's register first, then ends
 * the guard, and then writes the worker's register against the version that it read. To end the
 * guard waits for the locks of transactions that have found its text. One that looks later finds
 * another text, unless the holder has opened the guard anew. But then it must have renewed after
 * the worker's register was read, and the declaration fails.
 *
 * @param open whether the holder may commit
 * @param token of the acquisition
 * @param nonce names the one write
 */
record GuardRecord(boolean open, String token, String nonce) {

  private static final String KIND = "firn-guard";
  private static final int FORMAT = 1;
  private static final String OPEN = "open";

  /** Each is lost to another writer, or its outcome is unknown. */
  private static final int MAX_ATTEMPTS = 4;

  static GuardRecord parse(Register register) {
    Map<String, String> fields = RecordText.read(register, KIND, FORMAT);
    return new GuardRecord(
        RecordText.required(register, fields, "state").equals(OPEN),
        RecordText.required(register, fields, "token"),
        RecordText.required(register, fields, "nonce"));
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("state", open ? OPEN : "ended");
    fields.put("token", token);
    fields.put("nonce", nonce);
    return RecordText.write(KIND, FORMAT, fields);
  }

  /**
   * Opens the guard of an acquisition, with a text of its own.
   *
   * @return what was written; empty unless the store acknowledged it
   * @throws StoreException if the store cannot be asked
   */
  static Optional<Register> open(
      RegisterStore store, Namespace namespace, long worker, String token, TimeSource time) {
    String name = namespace.guardRegister(worker);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Optional<Register> before = store.read(name);
      Optional<Register> written = write(store, name, before, true, token, time);
      if (written.isPresent()) {
        return written;
      }
    }
    return Optional.empty();
  }

  /**
   * Ends the guard of an acquisition, before its holder is declared dead. Waits, for as long as the
   * store's calls may take, for the transactions that have locked it.
   *
   * @return whether no transaction of that acquisition can be committed any more, unless its holder
   *     renews
   */
  static boolean end(
      RegisterStore store, Namespace namespace, long worker, String token, TimeSource time) {
    String name = namespace.guardRegister(worker);
    try {
      for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        Optional<Register> before = store.read(name);
        GuardRecord found = before.map(GuardRecord::parse).orElse(null);
        if (found == null || !found.token().equals(token)) { // written over, so it has ended
          return true;
        }
        if (write(store, name, before, false, token, time).isPresent()) {
          return true;
        }
      }
    } catch (StoreException e) { // a transaction may have it locked
      LeaseEvents.logNow(System.Logger.Level.DEBUG, "not ended: " + name, e);
    }
    return false;
  }

  private static Optional<Register> write(
      RegisterStore store,
      String name,
      Optional<Register> before,
      boolean open,
      String token,
      TimeSource time) {
    String nonce = RecordText.nonce(time) + RecordText.nonce(time);
    String text = new GuardRecord(open, token, nonce).text();
    long version = before.map(Register::version).orElse(0L);
    WriteResult written = store.compareAndSet(name, version, text);
    return written.outcome() == WriteResult.Outcome.APPLIED
        ? Optional.of(new Register(name, written.version(), text))
        : Optional.empty();
  }
}
