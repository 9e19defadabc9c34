package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.GeneratorClosedException;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LeaseListenerTest {

  private final Fleet fleet = new Fleet();

  @BeforeEach
  void giveTheStoreAClock() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
  }

  /** Writes down what it hears: when, what, and the end of the window. */
  private final class Diary implements LeaseListener {
    private final List<String> entries = new ArrayList<>();

    private void note(String what, LeaseStatus status) {
      entries.add(
          Duration.between(START, fleet.now()).toMillis()
              + " "
              + what
              + " "
              + Duration.between(START, status.fence()).toMillis());
    }

    @Override
    public void acquired(LeaseStatus status) {
      note("acquired", status);
    }

    @Override
    public void renewed(LeaseStatus status) {
      note("renewed", status);
    }

    @Override
    public void lost(LeaseStatus status) {
      note("lost", status);
    }

    @Override
    public void expired(LeaseStatus status) {
      note("expired", status);
    }
  }

  @Test
  void isNotifiedOfEachAcquisitionAndRenewal() {
    Diary diary = new Diary();
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().listener(diary));
    fleet.pass(Duration.ofSeconds(31));
    snowflake.close();
    fleet.pass(Duration.ofSeconds(31));

    assertThat(diary.entries)
        .containsExactly("0 acquired 30000", "15000 renewed 45000", "30000 renewed 60000");
  }

  @Test
  void isNotifiedOfALossAndOfTheNextWorker() {
    Diary diary = new Diary();
    Member member = fleet.member();
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().listener(diary));
    takeAway(worker(snowflake));
    fleet.pass(Duration.ofSeconds(15));

    assertThat(diary.entries)
        .containsExactly("0 acquired 30000", "15000 lost 30000", "15000 acquired 45000");
  }

  @Test
  void isNotifiedOnceOfALossHoweverLongTheSearch() {
    Diary diary = new Diary();
    Member member = fleet.member();
    member.start(ONE_WORKER, member.lease().listener(diary));
    takeAway(0);
    fleet.pass(Duration.ofMinutes(2));

    List<String> what = diary.entries.stream().map(entry -> entry.split(" ", 3)[1]).toList();
    assertThat(what)
        .containsExactly(
            "acquired", "lost", "expired", "acquired", "renewed", "renewed", "renewed", "renewed");
    assertThat(diary.entries.get(2)).matches("3[01]\\d{3} expired 30000");
    assertThat(diary.entries.get(3)).matches("6[01]\\d{3} acquired 9[01]\\d{3}");
  }

  @Test
  void isNotifiedOnceOfEachExpiry() {
    Diary diary = new Diary();
    Member member = fleet.member();
    member.start(ONE_WORKER, member.lease().listener(diary));
    for (int outage = 0; outage < 2; outage++) {
      fleet.store.goDown();
      fleet.pass(Duration.ofMinutes(2));
      fleet.store.comeBack();
      fleet.pass(Duration.ofSeconds(10));
    }

    List<String> what = diary.entries.stream().map(entry -> entry.split(" ", 3)[1]).toList();
    assertThat(what).containsExactly("acquired", "expired", "acquired", "expired", "acquired");
  }

  /** The keeper may run before the watch of the fence does. */
  @Test
  void isNotifiedOfAnExpiryThatThePauseOfTheProcessHid() {
    Diary diary = new Diary();
    Member member = fleet.member();
    member.start(ONE_WORKER, member.lease().listener(diary));
    fleet.time.advance(Duration.ofSeconds(40));
    fleet.pass(Duration.ofMillis(100));

    assertThat(diary.entries)
        .containsExactly("0 acquired 30000", "40100 expired 30000", "40100 acquired 70100");
  }

  /** As above, while the store is called. */
  @Test
  void isNotifiedOfAnExpiryBeforeALateRenewal() {
    Diary diary = new Diary();
    Member member = fleet.member();
    member.start(ONE_WORKER, member.lease().listener(diary));
    fleet.store.beforeNextWrite(() -> fleet.time.advance(Duration.ofSeconds(25)));
    fleet.pass(Duration.ofSeconds(15));

    assertThat(diary.entries)
        .containsExactly(
            "0 acquired 30000",
            "40000 expired 30000",
            "40000 renewed 45000",
            "40000 renewed 70000");
  }

  /** The store held the answer back until that window was over too. */
  @Test
  void isNotNotifiedOfARenewalThatIsOver() {
    Diary diary = new Diary();
    Member member = fleet.member();
    member.start(ONE_WORKER, member.lease().listener(diary));
    fleet.store.beforeNextWrite(() -> fleet.time.advance(Duration.ofSeconds(80)));
    fleet.pass(Duration.ofSeconds(16));

    assertThat(diary.entries)
        .containsExactly("0 acquired 30000", "95000 expired 30000", "95000 acquired 125000");
  }

  @Test
  void listenerThatThrowsChangesNothing() {
    for (Throwable thrown :
        List.of(
            new IllegalStateException("no"), new AssertionError("no"), new NoSuchFieldError())) {
      Fleet fresh = new Fleet();
      Member member = fresh.member();
      Snowflake snowflake = member.start(TWO_WORKERS, member.lease().listener(new Thrower(thrown)));
      long last = snowflake.nextId();
      fresh.pass(Duration.ofSeconds(20));
      fresh.store.put(fresh.register(worker(snowflake)), stolen(fresh, worker(snowflake)));
      fresh.pass(Duration.ofSeconds(20));
      last = Fleet.nextAfter(snowflake, last);
      fresh.store.goDown();
      fresh.pass(Duration.ofMinutes(1));
      assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
      fresh.store.comeBack();
      fresh.pass(Duration.ofSeconds(10));

      Fleet.nextAfter(snowflake, last);
      snowflake.close();
    }
  }

  private record Thrower(Throwable thrown) implements LeaseListener {

    private static <T extends Throwable> void sneak(Throwable t) throws T {
      @SuppressWarnings("unchecked")
      T same = (T) t;
      throw same;
    }

    @Override
    public void acquired(LeaseStatus status) {
      Thrower.<RuntimeException>sneak(thrown);
    }

    @Override
    public void renewed(LeaseStatus status) {
      Thrower.<RuntimeException>sneak(thrown);
    }

    @Override
    public void lost(LeaseStatus status) {
      Thrower.<RuntimeException>sneak(thrown);
    }

    @Override
    public void expired(LeaseStatus status) {
      Thrower.<RuntimeException>sneak(thrown);
    }
  }

  @Test
  void listenerMayCloseTheGeneratorThatLostItsWorker() {
    AtomicReference<Snowflake> generator = new AtomicReference<>();
    Member member = fleet.member();
    LeaseListener closer =
        new LeaseListener() {
          @Override
          public void lost(LeaseStatus status) {
            generator.get().close();
          }
        };
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().listener(closer));
    generator.set(snowflake);
    long worker = worker(snowflake);
    takeAway(worker);
    fleet.pass(Duration.ofSeconds(40));

    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(GeneratorClosedException.class)
        .hasMessage(
            "The generator is closed and issues no more IDs; close it after its last caller");
    assertThat(fleet.record(1 - worker).held()).isFalse();
  }

  @Test
  void listenerMayCloseTheGeneratorThatWasJustRenewed() {
    AtomicReference<Snowflake> generator = new AtomicReference<>();
    Member member = fleet.member();
    LeaseListener closer =
        new LeaseListener() {
          @Override
          public void renewed(LeaseStatus status) {
            generator.get().close();
          }
        };
    generator.set(member.start(ONE_WORKER, member.lease().listener(closer)));
    fleet.pass(Duration.ofSeconds(40));

    assertThat(fleet.record(0).held()).isFalse();
    assertThatThrownBy(generator.get()::nextId).isInstanceOf(GeneratorClosedException.class);
  }

  @Test
  void generatorThatIsClosedWhileItSeeksAnotherWorkerReportsNoAcquisition() {
    List<Long> acquired = new ArrayList<>();
    Member member = fleet.member();
    LeaseListener listener =
        new LeaseListener() {
          @Override
          public void acquired(LeaseStatus status) {
            acquired.add(status.worker());
          }
        };
    Snowflake snowflake = member.start(TWO_WORKERS, member.lease().listener(listener));
    long worker = worker(snowflake);
    takeAway(worker);
    fleet.store.beforeNextWrite(() -> fleet.store.beforeNextWrite(snowflake::close)); // renewal
    fleet.pass(Duration.ofSeconds(16));

    assertThat(acquired).containsExactly(worker);
    assertThat(worker(snowflake)).isEqualTo(worker);
    assertThat(snowflake.leaseStatus().orElseThrow().lastError())
        .contains("the lease was lost before");
    assertThat(fleet.record(1 - worker).held()).isFalse();
    assertThat(Instant.ofEpochMilli(fleet.record(1 - worker).fenceMillis()))
        .isBefore(START.plusSeconds(16));
  }

  private void takeAway(long worker) {
    fleet.store.put(fleet.register(worker), stolen(fleet, worker));
  }

  private static String stolen(Fleet fleet, long worker) {
    long fence = fleet.record(worker).fenceMillis() + 30_000;
    return new WorkerRecord(fence, true, OptionalLong.empty(), 30_000, "thief", 1, "thief", "")
        .text();
  }
}
