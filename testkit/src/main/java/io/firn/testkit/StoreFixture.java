package io.firn.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** The clients and the names of one test of a store. */
abstract class StoreFixture {

  private final List<RegisterStore> opened = new ArrayList<>();
  private final String word = Long.toHexString(TimeSource.system().random(1L << 60));
  private RegisterStore store;

  /** Opens a client. All clients of one test share the same registers. */
  protected abstract RegisterStore open() throws Exception;

  @BeforeEach
  void openStore() throws Exception {
    store = openAnother();
  }

  @AfterEach
  void closeStores() {
    opened.forEach(RegisterStore::close);
  }

  /** Returns the first client of this test. */
  public final RegisterStore store() {
    return store;
  }

  /** Returns a register name that no other test uses. */
  public final String name(String rest) {
    return word + "/" + rest;
  }

  /** Returns the random word that all names of this test begin with. */
  final String word() {
    return word;
  }

  final RegisterStore openAnother() throws Exception {
    return closedAtEnd(open());
  }

  final List<RegisterStore> openMore(int count) throws Exception {
    List<RegisterStore> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(openAnother());
    }
    return clients;
  }

  final RegisterStore closedAtEnd(RegisterStore client) {
    opened.add(client);
    return client;
  }

  /** Writes a register, requires that the write is applied, and returns the new version. */
  final long write(String name, long expectedVersion, String value) {
    WriteResult result = store.compareAndSet(name, expectedVersion, value);
    assertEquals(Outcome.APPLIED, result.outcome(), () -> "write of " + name);
    return result.version();
  }

  static void park(Duration duration) {
    TimeSource time = TimeSource.system();
    long end = time.nanoTime() + duration.toNanos();
    for (long left = duration.toNanos(); left > 0; left = end - time.nanoTime()) {
      time.parkNanos(Math.min(left, TimeUnit.MILLISECONDS.toNanos(10)));
    }
  }
}
