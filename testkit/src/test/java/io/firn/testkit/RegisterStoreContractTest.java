package io.firn.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.SocketStore.Fault;
import io.firn.time.TimeSource;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract refuses stores that are nearly right. */
@Execution(ExecutionMode.CONCURRENT)
class RegisterStoreContractTest {

  private interface Clause {
    void test(RemoteRegisterStoreContract contract) throws Exception;
  }

  private static void refuses(Fault fault, Clause clause, String why) throws Exception {
    refuses(SocketStoreTest.with(fault, false), clause, why);
  }

  private static void refuses(SocketStoreTest contract, Clause clause, String why)
      throws Exception {
    try {
      contract.openStore();
      assertThatThrownBy(() -> clause.test(contract))
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining(why);
    } finally {
      contract.closeStores();
      contract.closeServer();
    }
  }

  @Test
  void writeThatIsSentAgain() throws Exception {
    refuses(
        Fault.WRITES_AGAIN,
        RemoteRegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "against its outcome Call[outcome=CONFLICT");
  }

  @Test
  void lostReplyThatIsCalledSomethingElse() throws Exception {
    refuses(
        Fault.CALLS_LOST_REPLIES_CONFLICTS,
        RemoteRegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "against its outcome Call[outcome=CONFLICT");
    refuses(
        Fault.CALLS_LOST_REPLIES_FAILURES,
        RemoteRegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "against its outcome Call[outcome=REFUSED");
    refuses(
        Fault.CALLS_LOST_REPLIES_APPLIED,
        RemoteRegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "register ");
    refuses(
        Fault.CALLS_LOST_REPLIES_FAILURES,
        RemoteRegisterStoreContract::silentServerFailsInTimeAndTheClientRecovers,
        "against its outcome Call[outcome=REFUSED");
  }

  @Test
  void clientThatDoesNotComeBack() throws Exception {
    refuses(
        Fault.KEEPS_A_DEAD_CONNECTION,
        RemoteRegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "does not work again within PT4S");
  }

  @Test
  void clientWithoutATimeout() throws Exception {
    refuses(
        Fault.WAITS_FOR_EVER,
        RemoteRegisterStoreContract::silentServerFailsInTimeAndTheClientRecovers,
        "call: no answer after 6000 ms");
  }

  @Test
  void clientThatNeedsItsServerToBeOpened() throws Exception {
    refuses(
        Fault.CONNECTS_WHEN_OPENED,
        RemoteRegisterStoreContract::refusedConnectionFailsInTimeAndTheClientRecovers,
        "a client is opened without its server");
  }

  @Test
  void serverThatIsNotThereTakenForARegisterThatIsNotThere() throws Exception {
    refuses(
        Fault.READS_NOTHING_WITHOUT_A_SERVER,
        RemoteRegisterStoreContract::refusedConnectionFailsInTimeAndTheClientRecovers,
        "Expected io.firn.store.StoreException to be thrown");
  }

  @Test
  void durableServerThatForgets() throws Exception {
    refuses(
        SocketStoreTest.with(Fault.NONE, true),
        RemoteRegisterStoreContract::acknowledgedWritesOutliveTheServerThatIsKilled,
        "register ");
  }

  @Test
  void clientThatConnectsWhenItIsClosed() throws Exception {
    refuses(
        Fault.CONNECTS_WHEN_CLOSED,
        RemoteRegisterStoreContract::closedClientThrows,
        "Expected java.lang.IllegalStateException to be thrown");
  }

  @Test
  void callsThatAreNotLinearizable() throws Exception {
    for (Fault fault :
        List.of(Fault.READS_FROM_A_CACHE, Fault.OVERWRITES, Fault.CONFLICTS_FOR_NOTHING)) {
      refuses(fault, RemoteRegisterStoreContract::callsOfManyClientsAreLinearizable, "register ");
    }
  }

  /** Returns the contract of a store whose clock shows a function of this machine's time. */
  private static StoreClockContract clock(LongUnaryOperator shown) {
    TimeSource clock =
        new TimeSource() {
          @Override
          public long currentTimeMillis() {
            return shown.applyAsLong(TimeSource.system().currentTimeMillis());
          }

          @Override
          public long nanoTime() {
            return TimeSource.system().nanoTime();
          }

          @Override
          public void parkNanos(long nanos) {
            TimeSource.system().parkNanos(nanos);
          }

          @Override
          public long random(long bound) {
            return TimeSource.system().random(bound);
          }
        };
    RegisterStore store = new InMemoryRegisterStore(clock);
    return () -> store;
  }

  @Test
  void clockThatIsWrong() {
    long stopped = TimeSource.system().currentTimeMillis();
    for (LongUnaryOperator wrong :
        List.<LongUnaryOperator>of(
            now -> now + 3_600_000,
            now -> now + 300,
            now -> now - 300,
            now -> now / 1_000,
            now -> now / 1_000 * 1_000,
            now -> stopped)) {
      assertThatThrownBy(clock(wrong)::clockOfTheStoreShowsTheTimeOfThisMachine)
          .isInstanceOf(AssertionError.class)
          .hasMessageContaining("clock of the store: ");
    }
    clock(now -> now).clockOfTheStoreShowsTheTimeOfThisMachine();
    clock(now -> now - 50).clockOfTheStoreShowsTheTimeOfThisMachine();
  }
}
