package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Drivers and databases that no contract is run with. */
class OtherDriversTest {

  static List<String> urls() {
    String mariaDb = TestDatabase.MARIADB.url();
    String mySql = mariaDb.replace("jdbc:mariadb:", "jdbc:mysql:");
    return List.of(
        mySql,
        mySql + "&useServerPrepStmts=true&useAffectedRows=true",
        mariaDb + "&useServerPrepStmts=true&useAffectedRows=true",
        mariaDb.replace("jdbc:mariadb:", "jdbc:mariadb:sequential:"),
        TestDatabase.POSTGRES.url() + "&preferQueryMode=simple",
        TestDatabase.POSTGRES.url() + "&prepareThreshold=1&defaultRowFetchSize=1",
        "jdbc:hsqldb:mem:other?");
  }

  @ParameterizedTest
  @MethodSource("urls")
  void everyVerbWorks(String url) {
    try (RegisterStore store =
        RegisterStore.open(url + "&timeout=20s&table=" + TestDatabase.newTable())) {
      assertThat(store.read("a")).isEmpty();
      assertThat(store.compareAndSet("a", 5, "none")).isEqualTo(WriteResult.CONFLICT);
      WriteResult first = store.compareAndSet("a", 0, "one");
      assertThat(first.outcome()).isEqualTo(Outcome.APPLIED);
      assertThat(store.compareAndSet("a", 0, "two")).isEqualTo(WriteResult.CONFLICT);
      String longest = "\ud83d\ude00".repeat(longest(url) / 2);
      WriteResult second = store.compareAndSet("a", first.version(), longest);
      assertThat(second.version()).isGreaterThan(first.version());
      assertThat(store.compareAndSet("a", first.version(), "x")).isEqualTo(WriteResult.CONFLICT);
      assertThat(store.compareAndSet("b", 0, "").outcome()).isEqualTo(Outcome.APPLIED);

      Register register = new Register("a", second.version(), longest);
      assertThat(store.read("a")).contains(register);
      assertThat(store.readAll(List.of("a", "c"))).containsExactly(register);
      assertThat(store.readAll(List.of())).isEmpty();
      assertThat(store.scan("")).hasSize(2).contains(register);
      assertThat(store.scan("a")).containsExactly(register);
      Optional<Snapshot> snapshot = store.snapshot(List.of());
      if (snapshot.isPresent()) {
        Binding binding = new Binding(snapshot.get().identity(), "a", second.version());
        assertThat(store.compareAndSet("c", 0, "x", binding).outcome()).isEqualTo(Outcome.APPLIED);
      }
      assertThat(store.currentTimeMillis().isPresent()).isEqualTo(!url.contains("hsqldb"));
    }
  }

  private static int longest(String url) {
    return url.contains("hsqldb") ? 4_000 : RegisterStore.MAX_VALUE_LENGTH;
  }

  @Test
  void databaseOfWhichNothingIsKnownMustNotForget() {
    try (RegisterStore store = RegisterStore.open("jdbc:hsqldb:mem:other?may-forget=true")) {
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("Store " + store + " has no clock for versions");
    }
  }
}
