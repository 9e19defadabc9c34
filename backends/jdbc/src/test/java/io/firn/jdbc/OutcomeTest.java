package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import io.firn.testkit.CuttingProxy;
import io.firn.testkit.TestThreads;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the reported outcome of a write while the database or the network fails. */
@Timeout(300)
class OutcomeTest {

  private final String table = TestDatabase.newTable();

  @BeforeAll
  static void warmUp() {
    TimedCalls.warmUp();
  }

  private RegisterStore open(String url) {
    return TimedCalls.open(url, TimedCalls.TIMEOUT, table);
  }

  /** From the greeting of the server to the reply to the write. */
  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void outcomeIsTrueWhereverTheFirstExchangeIsCut(TestDatabase database) throws Exception {
    try (RegisterStore witness = database.open("table=" + table);
        CuttingProxy proxy = CuttingProxy.to(database.server().address())) {
      long version = witness.compareAndSet("a", 0, "zero").version();
      List<Outcome> outcomes = new ArrayList<>();
      for (int replies = 0; proxy.cuts() == replies; replies++) {
        long expected = version;
        String value = "after " + replies;
        Outcome outcome = null;
        try (RegisterStore store = open(database.url(proxy.address()))) {
          proxy.cutReplyAfter(replies);
          outcome = TimedCalls.inTime(() -> store.compareAndSet("a", expected, value)).outcome();
        } catch (StoreException e) {
          assertThat(e).hasMessageContaining(" failed after ");
        }
        Register now = witness.read("a").orElseThrow();
        assertThat(now.value().equals(value))
            .as("%s: %s", replies, outcome)
            .isEqualTo(outcome != null);
        version = now.version();
        outcomes.add(outcome);
      }
      int last = outcomes.size() - 1;
      assertThat(outcomes.get(last)).isEqualTo(Outcome.APPLIED); // nothing was left to be cut
      assertThat(outcomes.get(last - 1)).isEqualTo(Outcome.UNKNOWN);
      assertThat(outcomes.subList(0, last - 1))
          .contains((Outcome) null)
          .doesNotContain(Outcome.UNKNOWN);
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void stoppedServerIsLeftAloneInTimeAndFoundAgain(TestDatabase database) throws Exception {
    try (RegisterStore store = open(database.url())) {
      long version = store.compareAndSet("a", 0, "one").version();
      database.server().pause();
      try {
        assertThat(TimedCalls.inTime(() -> store.compareAndSet("a", version, "two")))
            .isEqualTo(WriteResult.UNKNOWN);
        assertThatThrownBy(
                () -> TimedCalls.inTime(() -> store.compareAndSet("a", version, "three")))
            .isInstanceOf(StoreException.class);
      } finally {
        database.server().resume();
      }
      assertThat(store.read("a")).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void unreachableDatabaseIsNamedWithoutSecretsAndComesBackByItself(TestDatabase database)
      throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address())) {
      String user = database.newUser("ALL");
      proxy.refuse();
      try (RegisterStore store = open(TestDatabase.as(user, database.url(proxy.address())))) {
        for (int i = 0; i < 2; i++) {
          assertThatThrownBy(() -> TimedCalls.inTime(() -> store.compareAndSet("a", 0, "one")))
              .isInstanceOf(StoreException.class)
              .hasMessageStartingWith("Store " + store + " failed after ")
              .hasMessageMatching(".* ms: .*refused.*")
              .hasMessageNotContaining(TestDatabase.PASSWORD);
        }
        proxy.heal();
        assertThat(store.compareAndSet("a", 0, "one").outcome()).isEqualTo(Outcome.APPLIED);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void readOverADeadConnectionIsAskedAgain(TestDatabase database) throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address());
        RegisterStore store = open(database.url(proxy.address()))) {
      store.compareAndSet("a", 0, "one");
      proxy.refuse();
      proxy.heal();
      assertThat(store.read("a")).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void writeAfterAPauseTriesTheConnectionBefore(TestDatabase database) throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address());
        RegisterStore store =
            TimedCalls.open(database.url(proxy.address()), Duration.ofSeconds(5), table)) {
      long version = store.compareAndSet("a", 0, "one").version();
      proxy.refuse();
      proxy.heal();
      Thread.sleep(1_100);
      assertThat(store.compareAndSet("a", version, "two").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void writeIsOneRoundTrip(TestDatabase database) throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address());
        RegisterStore store = open(database.url(proxy.address()))) {
      long version = store.compareAndSet("a", 0, "one").version();
      long before = proxy.requests();
      version = store.compareAndSet("a", version, "two").version();
      assertThat(proxy.requests() - before).isEqualTo(1);
      store.compareAndSet("b", 0, "one");
      assertThat(proxy.requests() - before).isEqualTo(2);
      store.readAll(List.of("a", "b", "c"));
      assertThat(proxy.requests() - before).isEqualTo(3);
      store.scan("");
      assertThat(proxy.requests() - before).isEqualTo(4);
      store.currentTimeMillis();
      assertThat(proxy.requests() - before).isEqualTo(5);
      assertThat(store.read("a")).get().extracting(Register::version).isEqualTo(version);
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void threadsThatWaitForTheirTurnDoNotWaitLonger(TestDatabase database) throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address());
        RegisterStore store = open(database.url(proxy.address()))) {
      store.compareAndSet("a", 0, "one");
      proxy.stall();
      TestThreads callers = new TestThreads();
      for (int i = 0; i < 16; i++) { // one after another they would take 32 s
        callers.start(
            () ->
                assertThatThrownBy(() -> TimedCalls.inTime(() -> store.read("a")))
                    .isInstanceOf(StoreException.class));
      }
      callers.join();
      proxy.heal();
      assertThat(store.read("a")).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void replicaRefusesAWriteForCertain(TestDatabase database) throws SQLException {
    String user = database.newUser("ALL");
    long version;
    try (RegisterStore store = open(database.url(user))) {
      version = store.compareAndSet("a", 0, "one").version();
    }
    database.setReadOnly(user, true);
    try (RegisterStore store = open(database.url(user))) {
      assertThat(store.read("a")).isPresent();
      assertThatThrownBy(() -> store.compareAndSet("a", version, "two"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("read-only");
      database.setReadOnly(user, false);
      assertThat(store.compareAndSet("a", version, "two").outcome()).isEqualTo(Outcome.APPLIED);
    } finally {
      database.setReadOnly(user, false);
    }
  }
}
