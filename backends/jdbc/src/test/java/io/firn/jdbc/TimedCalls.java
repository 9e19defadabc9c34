package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.RegisterStore;
import java.time.Duration;
import java.util.concurrent.Callable;

/** Calls of stores that end in time, whatever their databases do. */
final class TimedCalls {

  static final Duration TIMEOUT = Duration.ofSeconds(2);

  private static final Duration SLACK = Duration.ofSeconds(15);

  private TimedCalls() {}

  /** Starts the servers and loads the drivers, which takes longer than a call may. */
  static void warmUp() {
    for (TestDatabase database : TestDatabase.values()) {
      try (RegisterStore store = database.open("timeout=20s")) {
        store.read("a");
      }
    }
  }

  static RegisterStore open(String url, Duration timeout, String table) {
    return RegisterStore.open(url + "&timeout=" + timeout.toSeconds() + "s&table=" + table);
  }

  /** Returns the result of a call, or throws its exception, within its time limit. */
  static <T> T inTime(Callable<T> call) throws Exception {
    long begin = System.nanoTime();
    try {
      return call.call();
    } finally {
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TIMEOUT.plus(SLACK));
    }
  }
}
