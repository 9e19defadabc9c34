package io.firn.lease;

import static io.firn.lease.Fleet.HALF_WINDOW;
import static io.firn.lease.Fleet.NAMESPACE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.SnowflakeHandle;
import io.firn.WaitInterruptedException;
import io.firn.lease.Fleet.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The scopes of a generator, and what ends them before they are closed. */
class ScopeTest {

  private final Fleet fleet = new Fleet().withClock();

  /** Waits for numbers of later ticks, does something meanwhile, and is interrupted. */
  private static void failToDraw(Member member, Snowflake snowflake, Runnable meanwhile) {
    member.atNextPark(
        () -> {
          meanwhile.run();
          Thread.currentThread().interrupt();
        });
    long[] ids = new long[10_000];
    assertThatThrownBy(() -> snowflake.nextIds(ids)).isInstanceOf(WaitInterruptedException.class);
    assertThat(Thread.interrupted()).isTrue();
  }

  private void assertStaysBelow(long id) {
    fleet.time.advance(Duration.ofSeconds(1)); // past all ticks, and before the next renewal
    for (int i = 0; i < 4; i++) {
      assertThat(fleet.watermark().current().id()).isLessThan(id);
      fleet.pass(HALF_WINDOW);
    }
  }

  @Test
  void drawThatFailsGivesNoNumberBackThatIsBelowAScope() {
    Member member = fleet.member();
    Snowflake snowflake = member.startWithScope();
    List<IdScope> opened = new ArrayList<>();
    failToDraw(member, snowflake, () -> opened.add(snowflake.scope(Duration.ofHours(1))));
    assertStaysBelow(opened.get(0).nextId());
  }

  @Test
  void drawThatFailsGivesNoNumberBackThatIsBelowALowMark() {
    Member member = fleet.member();
    Snowflake snowflake = member.startWithScope();
    fleet.time.advance(HALF_WINDOW);
    failToDraw(member, snowflake, member.keeper::runDue);
    assertStaysBelow(snowflake.scope(Duration.ofHours(1)).nextId());
  }

  @Test
  void scopeExpiresAtItsLimitAndItsCommitIsRefused() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope scope = snowflake.scope();
    long id = scope.nextId();
    fleet.pass(HALF_WINDOW);
    assertThat(fleet.watermark().current().id()).isLessThan(id);
    fleet.pass(HALF_WINDOW); // the limit is a window

    assertThat(fleet.watermark().current().id()).isGreaterThanOrEqualTo(id);
    assertThatThrownBy(scope::beforeCommit)
        .isInstanceOf(ScopeExpiredException.class)
        .hasMessage(
            "The scope expired: it was open for longer than its limit of 30000 ms; roll its"
                + " transaction back, because readers of the watermark may be past its IDs");
    assertThatThrownBy(scope::nextId).isInstanceOf(ScopeExpiredException.class);
    scope.close();
  }

  @Test
  void scopeMayCommitUpToItsLimitAndNotAtIt() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope before = snowflake.scope(Duration.ofSeconds(5));
    IdScope at = snowflake.scope(Duration.ofSeconds(5));
    fleet.time.advance(Duration.ofMillis(4_999));
    before.beforeCommit();
    fleet.time.advance(Duration.ofMillis(1));

    assertThatThrownBy(at::beforeCommit).isInstanceOf(ScopeExpiredException.class);
    before.close();
  }

  @Test
  void scopeThatIsBeingCommittedIsKeptPastItsLimit() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope scope = snowflake.scope(Duration.ofSeconds(5));
    long id = scope.nextId();
    scope.beforeCommit();

    fleet.pass(Duration.ofMinutes(5));

    assertThat(fleet.watermark().current().id()).isLessThan(id);
    scope.close();
  }

  @Test
  void closeReportsAnExpiredScopeUnlessThatWasReported() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope scope = snowflake.scope(Duration.ofSeconds(5));
    fleet.pass(HALF_WINDOW);

    assertThatThrownBy(scope::close).isInstanceOf(ScopeExpiredException.class);
    scope.close();
  }

  @Test
  void scopeIsRefusedOnceTheLeaseHasNearlyRunOut() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope before = snowflake.scope(Duration.ofMinutes(10));
    IdScope after = snowflake.scope(Duration.ofMinutes(10));
    fleet.store.goDown();
    fleet.pass(Duration.ofMillis(24_900)); // the margin is the clock skew of 5 s
    before.beforeCommit();
    fleet.pass(Duration.ofMillis(100));

    assertThatThrownBy(after::beforeCommit)
        .isInstanceOf(ScopeExpiredException.class)
        .hasMessageContaining("the lease of its IDs has nearly run out");
    before.close();
  }

  @Test
  void scopeIsRefusedByTheMonotonicClockIfTheOtherStepsBack() {
    Member member = fleet.member();
    Snowflake snowflake = member.startWithScope();
    IdScope scope = snowflake.scope(Duration.ofMinutes(10));
    fleet.store.goDown();
    fleet.pass(Duration.ofSeconds(25));
    member.ahead(Duration.ofSeconds(-20));

    assertThatThrownBy(scope::beforeCommit).isInstanceOf(ScopeExpiredException.class);
  }

  @Test
  void scopesOfALeaseThatWasReleasedByAnOperatorExpire() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope scope = snowflake.scope(Duration.ofMinutes(10));
    scope.nextId();
    Namespace.of(fleet.store, NAMESPACE).release(Fleet.worker(snowflake));

    fleet.pass(HALF_WINDOW);

    assertThatThrownBy(scope::beforeCommit)
        .isInstanceOf(ScopeExpiredException.class)
        .hasMessageContaining("the lease of its IDs was lost");
    try (IdScope next = snowflake.scope()) {
      assertThat(next.nextId()).isGreaterThan(fleet.watermark().current().id());
      next.beforeCommit();
    }
  }

  @Test
  void drawsAlsoAfterTheCheckAndNothingOnceClosed() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope scope = snowflake.scope();
    scope.nextIds(new long[3]);
    scope.beforeCommit();
    long id = scope.nextId(); // as Hibernate does for what a flush cascades to
    fleet.pass(HALF_WINDOW);
    assertThat(fleet.watermark().current().id()).isLessThan(id);
    scope.close();
    assertThatThrownBy(scope::nextId)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("The scope is closed; draw IDs inside of it");
    assertThatThrownBy(scope::beforeCommit).isInstanceOf(IllegalStateException.class);
  }

  /** It is of the lease after that one, whose low mark does not wait for the scope. */
  @Test
  void idThatWaitedUntilTheLeaseWasLostIsRefused() {
    Member member = fleet.member();
    Snowflake snowflake = member.startWithScope();
    IdScope one = snowflake.scope(Duration.ofMinutes(10));
    one.beforeCommit();
    drawWhileTheLeaseIsLost(member, () -> assertIsRefused(one::nextId));
    IdScope many = snowflake.scope(Duration.ofMinutes(10));
    many.beforeCommit();
    drawWhileTheLeaseIsLost(member, () -> assertIsRefused(() -> many.nextIds(new long[1])));
  }

  private static void assertIsRefused(ThrowingCallable draw) {
    assertThatThrownBy(draw)
        .isInstanceOf(ScopeExpiredException.class)
        .hasMessageContaining("the lease of its IDs was lost");
  }

  private void drawWhileTheLeaseIsLost(Member member, Runnable draw) {
    fleet.time.advance(Duration.ofSeconds(31)); // the keeper stands still, past the fence
    member.atNextPark(() -> fleet.pass(Duration.ofMillis(100)));
    draw.run();
  }

  /** The database may have received it, and apply it once nobody waits for it any more. */
  @Test
  void scopeOfACommitThatFailedIsKeptForTheGrace() {
    Snowflake snowflake = fleet.member().startWithScope();
    long id = failToCommit(snowflake);
    fleet.pass(HALF_WINDOW.minusSeconds(1));
    long newest = snowflake.nextId(); // a scope begins at the newest tick
    long after = failToCommit(snowflake);
    fleet.pass(Duration.ofSeconds(2));

    assertThat(fleet.watermark().current().id()).isBetween(id, newest - 1);
    fleet.pass(HALF_WINDOW);
    assertThat(fleet.watermark().current().id()).isGreaterThanOrEqualTo(after);
  }

  @Test
  void scopeOfACommitThatFailedIsKeptForTheLongestGraceOfReaders() {
    Watermark patient = fleet.watermarkBuilder().grace(Duration.ofMinutes(2)).build();
    Snowflake snowflake = fleet.member().startWithScope();
    var unused = patient.current();
    fleet.pass(HALF_WINDOW);
    long id = failToCommit(snowflake);
    fleet.pass(Duration.ofSeconds(119));

    assertThat(patient.current().id()).isLessThan(id);
    fleet.pass(HALF_WINDOW.plusSeconds(1));
    assertThat(patient.current().id()).isGreaterThanOrEqualTo(id);
  }

  @Test
  void doubtOfAScopeLastsFromTheFirstCallOn() {
    Snowflake snowflake = fleet.member().startWithScope();
    var unused = fleet.watermark().current();
    fleet.pass(HALF_WINDOW);
    IdScope scope = snowflake.scope();
    long id = scope.nextId();
    scope.closeInDoubt();
    fleet.pass(HALF_WINDOW.minusSeconds(2));
    scope.closeInDoubt();
    fleet.pass(Duration.ofSeconds(3)); // and a renewal, more than 10 s after the first call
    assertThat(fleet.watermark().current().id()).isGreaterThanOrEqualTo(id);
  }

  private static long failToCommit(Snowflake snowflake) {
    long[] id = new long[1];
    assertThatThrownBy(
            () -> {
              try (IdScope scope = snowflake.scope()) {
                id[0] = scope.nextId();
                scope.commit(
                    () -> {
                      throw new java.io.IOException("timed out");
                    });
              }
            })
        .isInstanceOf(java.io.IOException.class)
        .hasNoSuppressedExceptions();
    return id[0];
  }

  @Test
  void scopeThatIsClosedInDoubtDrawsNothingAndKeepsTheWorker() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope scope = snowflake.scope();
    long id = scope.nextId();
    scope.closeInDoubt();
    assertThatThrownBy(scope::nextId).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(scope::beforeCommit).isInstanceOf(IllegalStateException.class);

    snowflake.close();

    assertThat(fleet.record(Fleet.worker(snowflake)).held()).isTrue();
    assertThat(fleet.watermark().current().id()).isLessThan(id);
  }

  @Test
  void commitThatIsRefusedIsNotBegunAndOneThatEndsHoldsNothingBack() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope refused = snowflake.scope(Duration.ofSeconds(5));
    fleet.pass(Duration.ofSeconds(5));
    List<String> begun = new java.util.ArrayList<>();
    assertThatThrownBy(() -> refused.commit(() -> begun.add("refused")))
        .isInstanceOf(ScopeExpiredException.class);
    assertThat(begun).isEmpty();
    long id;
    try (IdScope scope = snowflake.scope()) {
      id = scope.nextId();
      scope.commit(() -> begun.add("committed"));
    }
    fleet.pass(HALF_WINDOW);
    assertThat(fleet.watermark().current().id()).isGreaterThanOrEqualTo(id);
    assertThat(begun).containsExactly("committed");
  }

  @Test
  void handleKeepsNoNumbersOnceScopesAreUsed() {
    Snowflake snowflake = fleet.member().startWithScope();
    SnowflakeHandle handle = snowflake.newHandle(1_000);
    for (int i = 0; i < 10; i++) {
      long before = snowflake.nextId();
      assertThat(handle.nextId()).isGreaterThan(before).isLessThan(snowflake.nextId());
    }
  }

  @Test
  void scopeNeedsALeasedWorkerAndTimeAsTheHighestField() {
    try (Snowflake fixed = Snowflake.builder().worker(1).build()) {
      assertThatThrownBy(fixed::scope).isInstanceOf(UnsupportedOperationException.class);
    }
    Snowflake seata = fleet.member().start(io.firn.IdLayout.SEATA);
    assertThatThrownBy(seata::scope).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> fleet.watermark().current())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void limitOfAScopeIsFromAMillisecondToADay() {
    Snowflake snowflake = fleet.member().startWithScope();
    snowflake.scope(Duration.ofMillis(1)).close();
    snowflake.scope(Duration.ofDays(1)).close();
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofDays(1).plusMillis(1))) {
      assertThatThrownBy(() -> snowflake.scope(wrong)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void closeGivesTheWorkerBackOnceItsScopesAreClosed() {
    Member member = fleet.member();
    Snowflake snowflake = member.startWithScope();
    IdScope scope = snowflake.scope();
    scope.nextId();
    member.atNextPark(scope::close);

    snowflake.close();

    assertThat(fleet.record(Fleet.worker(snowflake)).held()).isFalse();
    assertThatThrownBy(snowflake::scope).isInstanceOf(io.firn.GeneratorClosedException.class);
  }

  @Test
  void closeKeepsTheWorkerIfAScopeStaysOpen() {
    Snowflake snowflake = fleet.member().startWithScope();
    IdScope scope = snowflake.scope();
    IdScope committing = snowflake.scope();
    long id = committing.nextId();
    committing.beforeCommit();

    snowflake.close();

    assertThat(fleet.record(Fleet.worker(snowflake)).held()).isTrue();
    assertThatThrownBy(scope::beforeCommit)
        .isInstanceOf(ScopeExpiredException.class)
        .hasMessageContaining("its generator was closed");
    assertThat(fleet.watermark().current().id()).isLessThan(id);
    committing.close();
  }
}
