package io.firn.lease;

import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.RegisterStore;
import io.firn.testkit.ForwardingTimeSource;
import io.firn.testkit.InterposedStore;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Scopes of a namespace that changes its layout. */
class LayoutScopesTest extends ChangingNamespace {

  @Test
  void scopesThatAreOpenAtTheChangeExpire() {
    Snowflake both = startBoth(fleet.member());
    change();
    passUntil(AT.minusSeconds(1));
    var before = both.scope();
    checkTimes(before.nextId());
    fleet.pass(Duration.ofSeconds(2));
    var after = both.scope();
    assertThat(isNew(after.nextId())).isTrue();
    assertThatThrownBy(before::beforeCommit).isInstanceOf(ScopeExpiredException.class);
    after.beforeCommit();
    after.close();
    both.close();
  }

  /** It is not among those that expire, and its IDs are of the new layout. */
  @Test
  void scopeThatIsOpenedDuringTheChangeExpiresToo() {
    Member member = fleet.member();
    AtomicReference<Runnable> atNextReading = new AtomicReference<>();
    TimeSource time =
        new ForwardingTimeSource(member) {
          @Override
          public long nanoTime() {
            Runnable meanwhile = atNextReading.getAndSet(null);
            if (meanwhile != null) {
              meanwhile.run();
            }
            return super.nanoTime();
          }
        };
    LeaseConfig lease = member.lease().worker(3).build();
    Snowflake both =
        member.start(Snowflake.builder().layout(OLD).nextLayout(NEW).lease(lease).timeSource(time));
    change();
    passUntil(AT.minusMillis(100));
    atNextReading.set(
        () -> {
          fleet.time.advance(Duration.ofMillis(200));
          assertThat(isNew(both.nextId())).isTrue();
        });
    IdScope scope = both.scope();
    assertThat(isNew(scope.nextId())).isTrue();
    fleet.pass(Duration.ofSeconds(20));
    assertThatThrownBy(scope::beforeCommit).isInstanceOf(ScopeExpiredException.class);
  }

  /** Pauses past the end of the window and the change, with a scope of the old layout. */
  private void expectScopeToExpireInAPause(Snowflake both) {
    IdScope scope = both.scope(Duration.ofMinutes(5));
    assertThat(isNew(scope.nextId())).isFalse();
    fleet.time.advance(Duration.ofMinutes(2));
    fleet.pass(Duration.ofMillis(100));
    assertThat(both.leaseStatus().orElseThrow().notBefore()).isAfter(AT);
    assertThatThrownBy(scope::beforeCommit).isInstanceOf(ScopeExpiredException.class);
  }

  /** A pause past the end of its window: another process may have been given the worker ID. */
  @Test
  void scopesOfALeaseThatEndedBeforeTheChangeExpire() {
    Snowflake both = startBoth(fleet.member());
    change();
    passUntil(AT.minusSeconds(60));
    expectScopeToExpireInAPause(both);
  }

  @Test
  void scopesOfALeaseThatEndedAfterItsSwitchOfLayoutExpire() {
    Member member = fleet.member();
    Snowflake both = member.start(member.builder(OLD, member.lease().worker(3)).nextLayout(NEW));
    change();
    passUntil(AT.minusSeconds(1));
    assertThat(both.leaseStatus().orElseThrow().notBefore()).isEqualTo(AT);
    expectScopeToExpireInAPause(both);
  }

  /** Readers do not wait for its IDs: another process may have the worker meanwhile. */
  @Test
  void scopeThatIsOpenedBetweenTheLossOfALeaseAndTheNextLeaseExpires() {
    Member member = fleet.member();
    LeaseConfig.Builder lease = member.lease().maxClockSkew(Duration.ofSeconds(15));
    Snowflake both = member.start(member.builder(OLD, lease).nextLayout(NEW));
    assertThat(worker(both)).as("is replaced at the change").isGreaterThan(NEW.workers());
    change();
    passUntil(AT.minusSeconds(1));
    member.ahead(Duration.ofSeconds(-3)); // by its clock, the window has not ended at the change
    AtomicReference<IdScope> opened = new AtomicReference<>();
    fleet.store.beforeNextRead( // of the acquisition
        () -> {
          opened.set(both.scope(Duration.ofMinutes(5)));
          assertThat(isNew(opened.get().nextId())).isFalse();
        });

    fleet.pass(Duration.ofMillis(1_100));

    assertThat(worker(both)).isLessThan(NEW.workers());
    assertThatThrownBy(opened.get()::beforeCommit)
        .isInstanceOf(ScopeExpiredException.class)
        .hasMessageContaining("the lease of its IDs was lost");
  }

  /** The keeper lets one that was opened during the change expire, and meanwhile comes another. */
  @Test
  void scopeThatIsOpenedWhileTheLowMarkIsTakenHasNoIdBelowIt() throws Exception {
    Member member = fleet.member();
    CountDownLatch opening = new CountDownLatch(2);
    Map<Thread, CountDownLatch> continues = new ConcurrentHashMap<>();
    AtomicReference<Snowflake> generator = new AtomicReference<>();
    AtomicLong drawn = new AtomicLong();
    Runnable draw = () -> drawn.set(generator.get().scope().nextId());
    Thread one = new Thread(draw);
    Thread another = new Thread(draw);
    TimeSource time =
        new ForwardingTimeSource(member) {
          @Override
          public long nanoTime() { // of a scope that is opened, before it is among those that are
            CountDownLatch latch = continues.get(Thread.currentThread());
            if (latch != null && latch.getCount() > 0) {
              opening.countDown();
              await(latch);
            }
            return super.nanoTime();
          }
        };
    AtomicReference<Runnable> atNextLine = new AtomicReference<>();
    RegisterStore store =
        new InterposedStore(fleet.store) {
          @Override
          public String toString() { // of the line that says that scopes have expired
            Runnable meanwhile = atNextLine.getAndSet(null);
            if (meanwhile != null) {
              meanwhile.run();
            }
            return super.toString();
          }
        };
    LeaseConfig lease =
        LeaseConfig.builder(store, Fleet.NAMESPACE).keeper(member.keeper).worker(3).build();
    Snowflake both =
        member.start(Snowflake.builder().layout(OLD).nextLayout(NEW).lease(lease).timeSource(time));
    generator.set(both);
    change();
    passUntil(AT.minusMillis(100));
    for (Thread thread : List.of(one, another)) {
      continues.put(thread, new CountDownLatch(1));
      thread.start();
    }
    await(opening);
    fleet.time.advance(Duration.ofMillis(200));
    assertThat(isNew(both.nextId())).isTrue();
    resume(one, continues);
    atNextLine.set(
        () -> {
          resume(another, continues);
          fleet.time.advance(Duration.ofMillis(50));
          assertThat(isNew(both.nextId())).isTrue();
        });
    passUntil(AT.plusSeconds(10));

    assertThat(another.isAlive()).isFalse();
    assertThat(NEW.parse(drawn.get()).instant().toEpochMilli())
        .isGreaterThanOrEqualTo(fleet.record(3).lowMillis().orElseThrow());
  }

  private static void resume(Thread thread, Map<Thread, CountDownLatch> continues) {
    continues.get(thread).countDown();
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(10, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
