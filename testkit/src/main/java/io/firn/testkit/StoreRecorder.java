package io.firn.testkit;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.RegisterHistory.Call;
import io.firn.testkit.RegisterHistory.Outcome;
import io.firn.time.TimeSource;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Records the calls and results of the clients of a store, and checks them. */
final class StoreRecorder {

  private final TimeSource time = TimeSource.system();
  private final Map<String, Collection<Call>> calls = new ConcurrentHashMap<>();

  /** Returns the client, whose reads and writes are written down. */
  RegisterStore recorded(RegisterStore client) {
    return new Recorded(client);
  }

  /**
   * Judges what has been written down, of registers that were not there before.
   *
   * @param mayForget whether the registers may have been forgotten in the meantime
   * @throws AssertionError if no register can have done that
   */
  void check(boolean mayForget) {
    calls.forEach(mayForget ? RegisterHistory::checkForgetful : RegisterHistory::check);
  }

  private void add(String name, Call call) {
    calls.computeIfAbsent(name, key -> new ConcurrentLinkedQueue<>()).add(call);
  }

  private final class Recorded extends InterposedStore {

    Recorded(RegisterStore client) {
      super(client);
    }

    @Override
    public Optional<Register> read(String name) {
      long begin = time.nanoTime();
      Optional<Register> read = super.read(name);
      long end = time.nanoTime();
      Register register = read.orElse(new Register(name, 0, ""));
      add(name, new Call(Outcome.READ, begin, end, 0, register.version(), register.value()));
      return read;
    }

    @Override
    public WriteResult compareAndSet(String name, long expectedVersion, String value) {
      long begin = time.nanoTime();
      try {
        WriteResult result = super.compareAndSet(name, expectedVersion, value);
        Outcome outcome = Outcome.valueOf(result.outcome().name());
        long end = time.nanoTime();
        add(name, new Call(outcome, begin, end, expectedVersion, result.version(), value));
        return result;
      } catch (StoreException e) {
        long end = time.nanoTime();
        add(name, new Call(Outcome.REFUSED, begin, end, expectedVersion, 0, value));
        throw e;
      }
    }
  }
}
