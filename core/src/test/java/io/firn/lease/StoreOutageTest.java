package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.firn.Snowflake;
import io.firn.WaitInterruptedException;
import io.firn.lease.Fleet.Member;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import io.firn.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StoreOutageTest {

  private final Fleet fleet = new Fleet();

  @Test
  void idsContinueToTheFenceThenFailThenResume() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(20)); // renewed at 15 s, up to 45 s
    fleet.store.goDown();
    long last = 0;
    while (fleet.now().isBefore(START.plusMillis(44_900))) {
      fleet.pass(Duration.ofMillis(100));
      last = Fleet.nextAfter(snowflake, last);
      assertThat(Fleet.timeOf(snowflake, last)).isEqualTo(fleet.now());
    }
    fleet.pass(Duration.ofMillis(100));

    long parked = fleet.time.nanoTime();
    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(LeaseExpiredException.class)
        .hasMessage(
            "The lease of worker 0 of orders ended at 2026-11-01T00:00:45Z and was not renewed"
                + " by 2026-11-01T00:00:45Z; faulty: last renewed it 30000 ms before, and IDs resume"
                + " with its next renewal; last error: Store faulty: did not answer");
    assertThat(fleet.time.nanoTime()).isEqualTo(parked); // fails at once, for the outage is known

    fleet.pass(Duration.ofMinutes(10));
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
    fleet.store.comeBack();
    fleet.pass(Duration.ofMillis(1_900));

    last = Fleet.nextAfter(snowflake, last);
    assertThat(Fleet.timeOf(snowflake, last)).isEqualTo(fleet.now());
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
  }

  /** The store does not report the outcome, and its calls have no time limit. */
  @Test
  void renewalThatHangsIsLoggedOnceAQuarterOfAWindowBeforeItsEnd() {
    Member member = fleet.member();
    List<Duration> logged = new ArrayList<>();
    try (LogLines lines = new LogLines("io.firn.lease")) {
      InterposedStore store =
          new InterposedStore(fleet.store) {
            @Override
            public WriteResult compareAndSet(String name, long expectedVersion, String value) {
              for (int second = 0; member.started() && second < 10; second++) {
                fleet.time.advance(Duration.ofSeconds(1));
                member.keeper.runDue(); // what other threads do meanwhile
                if (logged.size() < lines.messages().size()) {
                  logged.add(Duration.between(START, fleet.now()));
                }
              }
              return super.compareAndSet(name, expectedVersion, value);
            }
          };
      member.start(
          ONE_WORKER,
          LeaseConfig.builder(store, "overdue").instance("pod-1").keeper(member.keeper));
      fleet.time.advance(Duration.ofSeconds(15));
      member.keeper.runDue();

      assertThat(lines.messages())
          .containsExactly(
              "renewal overdue: worker 0 of overdue until 2026-11-01T00:00:30Z in "
                  + store
                  + ", last renewed 23000 ms ago; the store has not answered since");
      assertThat(logged).containsExactly(Duration.ofSeconds(23));
    }
  }

  @Test
  void exceptionCarriesTheStateOfTheLease() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.store.goDown();
    fleet.pass(Duration.ofSeconds(31));

    LeaseExpiredException expired =
        catchThrowableOfType(LeaseExpiredException.class, snowflake::nextId);

    assertThat(expired.status()).isEqualTo(snowflake.leaseStatus().orElseThrow());
    assertThat(expired.status().fence()).isEqualTo(START.plusSeconds(30));
    assertThat(expired.status().sinceRenewal()).isEqualTo(Duration.ofSeconds(31));
    assertThat(expired.status().lastError()).contains("Store faulty: did not answer");
  }

  @Test
  void interruptedCallerSaysThatItWaitedForTheLease() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER);
    fleet.time.advance(Duration.ofSeconds(31)); // no keeper runs
    member.atNextPark(() -> Thread.currentThread().interrupt());
    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(WaitInterruptedException.class)
        .hasMessageMatching("Interrupted with [0-9]+ ms left to wait for a window of its lease");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void callersThatRetryAgainstASpentWindowDoNotDrawIt() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    snowflake.nextId();
    fleet.store.goDown();
    fleet.pass(Duration.ofSeconds(30));
    for (int i = 0; i < 100_000; i++) {
      try {
        snowflake.nextId();
      } catch (LeaseExpiredException e) {
        continue;
      }
      throw new AssertionError("issued past the fence");
    }
    fleet.store.comeBack();
    fleet.pass(Duration.ofSeconds(2));

    assertThat(Fleet.timeOf(snowflake, snowflake.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void storeThatIsDownAtTheStartIsAClearError() {
    fleet.store.goDown();

    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(StoreException.class)
        .hasMessage("Store faulty: did not answer");
  }

  @Test
  void keepsItsWorkerOverAnOutageThatIsShorterThanTheWindow() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    fleet.store.goDown();
    fleet.pass(Duration.ofSeconds(29));
    fleet.store.comeBack();
    fleet.pass(Duration.ofSeconds(2));

    assertThat(worker(snowflake)).isEqualTo(worker);
    assertThat(Fleet.timeOf(snowflake, snowflake.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void keepsItsWorkerOverAnyOutageUnlessAnotherProcessTookIt() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    fleet.store.goDown();
    fleet.pass(Duration.ofHours(1));
    fleet.store.comeBack();
    fleet.pass(Duration.ofSeconds(2));

    assertThat(worker(snowflake)).isEqualTo(worker);
    snowflake.nextId();
  }

  @Test
  void continuesWithAnotherWorkerIfItsOwnWasTaken() {
    Member first = fleet.member();
    Snowflake snowflake = first.start(TWO_WORKERS, first.lease());
    long worker = worker(snowflake);
    long last = snowflake.nextId();
    fleet.time.advance(Duration.ofSeconds(40)); // its keeper is paused
    Member second = fleet.member();
    Snowflake other = second.start(TWO_WORKERS, second.lease().worker(worker));
    fleet.pass(Duration.ofSeconds(1));

    assertThat(worker(snowflake)).isEqualTo(1 - worker);
    assertThat(worker(other)).isEqualTo(worker);
    assertThat(Fleet.timeOf(snowflake, Fleet.nextAfter(snowflake, last))).isEqualTo(fleet.now());
  }

  @Test
  void unexpectedExceptionOfAStoreIsAFailureLikeAnyOther() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    Snowflake neighbor =
        fleet.member().start(TWO_WORKERS.withEpoch(Instant.EPOCH), otherNamespace());
    fleet.store.throwAtEveryCall(new IllegalStateException("pool is closed"));
    fleet.pass(Duration.ofSeconds(31));

    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(LeaseExpiredException.class)
        .hasMessageEndingWith("; last error: java.lang.IllegalStateException: pool is closed");
    fleet.store.comeBack();
    fleet.pass(Duration.ofSeconds(2));

    snowflake.nextId();
    assertThat(neighbor.leaseStatus().orElseThrow().lastError()).isEmpty();
  }

  private LeaseConfig.Builder otherNamespace() {
    return LeaseConfig.builder(fleet.store, "other").keeper(fleet.member().keeper);
  }

  @Test
  void errorOfAStoreIsFollowedByAnotherAttemptAsSoonAsAnException() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().window(Duration.ofMillis(800)));
    fleet.store.throwAtEveryCall(new NoClassDefFoundError("simulated"));
    assertThatThrownBy(() -> fleet.pass(Duration.ofMillis(400)))
        .isInstanceOf(NoClassDefFoundError.class);
    fleet.store.comeBack();

    fleet.pass(Duration.ofMillis(100));

    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
    assertThat(Fleet.fence(snowflake)).isAfter(START.plusMillis(1_200));
  }
}
