package io.firn.testkit;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.testkit.SocketStore.Fault;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract refuses stores that are nearly right. */
class RegisterStoreContractTest {

  private interface Clause {
    void test(RegisterStoreContract contract) throws Exception;
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
        RegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "against its outcome Call[outcome=CONFLICT");
  }

  @Test
  void lostReplyThatIsCalledSomethingElse() throws Exception {
    refuses(
        Fault.CALLS_LOST_REPLIES_CONFLICTS,
        RegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "against its outcome Call[outcome=CONFLICT");
    refuses(
        Fault.CALLS_LOST_REPLIES_FAILURES,
        RegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "against its outcome Call[outcome=REFUSED");
    refuses(
        Fault.CALLS_LOST_REPLIES_APPLIED,
        RegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "register ");
    refuses(
        Fault.CALLS_LOST_REPLIES_FAILURES,
        RegisterStoreContract::silentServerIsNotWaitedForLongerThanSaid,
        "against its outcome Call[outcome=REFUSED");
  }

  @Test
  void clientThatDoesNotComeBack() throws Exception {
    refuses(
        Fault.KEEPS_A_DEAD_CONNECTION,
        RegisterStoreContract::writeWhoseReplyIsLostIsAppliedOnceAndIsNoConflict,
        "works not again within PT4S");
  }

  @Test
  void clientThatWaitsForEver() throws Exception {
    refuses(
        Fault.WAITS_FOR_EVER,
        RegisterStoreContract::silentServerIsNotWaitedForLongerThanSaid,
        "call: no answer after 2000 ms");
  }

  @Test
  void clientThatNeedsItsServerToBeOpened() throws Exception {
    refuses(
        Fault.CONNECTS_WHEN_OPENED,
        RegisterStoreContract::refusedConnectionIsToldInTimeAndTheClientComesBack,
        "a client is opened without its server");
  }

  @Test
  void serverThatIsNotThereTakenForARegisterThatIsNotThere() throws Exception {
    refuses(
        Fault.READS_NOTHING_WITHOUT_A_SERVER,
        RegisterStoreContract::refusedConnectionIsToldInTimeAndTheClientComesBack,
        "Expected io.firn.lease.StoreException to be thrown");
  }

  @Test
  void durableServerThatForgets() throws Exception {
    refuses(
        SocketStoreTest.with(Fault.NONE, true),
        RegisterStoreContract::acknowledgedWritesOutliveTheServerThatIsKilled,
        "register ");
  }

  @Test
  void clientThatConnectsWhenItIsClosed() throws Exception {
    refuses(
        Fault.CONNECTS_WHEN_CLOSED,
        RegisterStoreContract::closedClientSaysSo,
        "Expected java.lang.IllegalStateException to be thrown");
  }

  @Test
  void callsThatAreNotLinearizable() throws Exception {
    for (Fault fault :
        List.of(Fault.READS_FROM_A_CACHE, Fault.OVERWRITES, Fault.CONFLICTS_FOR_NOTHING)) {
      refuses(fault, RegisterStoreContract::callsOfManyClientsAreLinearizable, "register ");
    }
  }
}
