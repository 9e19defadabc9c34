package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.ClockMovedBackwardsException;
import io.firn.FirnException;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.testkit.ForwardingTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One reading of the wall clock is wrong, whichever it is. */
class WrongReadingTest {

  private static final Duration DAYS = Duration.ofDays(2);
  private static final Duration YEAR = Duration.ofDays(365);

  private final List<String> events = new ArrayList<>();

  private final LeaseListener listener =
      new LeaseListener() {
        @Override
        public void lost(LeaseStatus status) {
          events.add("lost");
        }

        @Override
        public void expired(LeaseStatus status) {
          events.add("expired");
        }
      };

  private Member check(Fleet fleet, int reading, Duration wrongBy) {
    Member member = fleet.member().wrongOnce(reading, wrongBy);
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().listener(listener));
    long last = 0;
    for (int i = 0; i < 4; i++) {
      fleet.pass(Duration.ofSeconds(10));
      last = Fleet.nextAfter(snowflake, last);
      assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
    }
    Instant fence = Instant.ofEpochMilli(fleet.record(0).fenceMillis());
    assertThat(fence).isAfter(START.plusSeconds(54)).isBefore(START.plusSeconds(71));
    snowflake.close();
    assertThat(fleet.record(0).held()).isFalse();
    assertThat(fleet.record(0).fenceMillis()).isLessThan(START.plusSeconds(41).toEpochMilli());
    assertThat(events).isEmpty();
    return member;
  }

  @ParameterizedTest
  @ValueSource(longs = {365, 3_650, -365, -30_000})
  void stopsNothingAndMovesNoFence(long days) {
    int reading = 0;
    while (check(new Fleet(), reading, Duration.ofDays(days)).hasBeenWrong()) {
      reading++;
    }
    assertThat(reading).isGreaterThan(20);
  }

  @ParameterizedTest
  @ValueSource(longs = {365, -365})
  void stopsNothingWhereTheStoreHasAClock(long days) {
    int reading = 0;
    while (check(withStoreClock(), reading, Duration.ofDays(days)).hasBeenWrong()) {
      reading++;
    }
    assertThat(reading).isGreaterThan(20);
  }

  /** The clock is ahead when a window is leased, and right again before the first call. */
  @Test
  void issuesNothingOfAWindowThatIsDaysAhead() {
    int reading = 0;
    boolean wrong = true;
    while (wrong) {
      Fleet fleet = new Fleet();
      Member member = fleet.member();
      LeaseConfig.Builder lease = member.lease().listener(onAcquisition(2, member, Duration.ZERO));
      Snowflake snowflake = member.start(member.builder(ONE_WORKER, lease).maxWait(Duration.ZERO));
      member.ahead(DAYS);
      fleet.pass(Duration.ofSeconds(60));
      assertThat(Fleet.notBefore(snowflake)).isAfter(fleet.now().plus(DAYS).minusSeconds(60));
      member.wrongOnce(reading, DAYS.plusSeconds(1));
      for (int i = 0; i < 3; i++) {
        assertThat(outcome(snowflake)).as("call %s, reading %s", i, reading).isEqualTo("refused");
      }
      wrong = member.hasBeenWrong();
      reading++;
    }
    assertThat(reading).isGreaterThan(5);
  }

  /** The generator has read no other time, but its low mark follows the store's clock. */
  @Test
  void refusesToWaitForADayThatTheClockWentBackWhileTheWorkerWasLeased() {
    Fleet fleet = withStoreClock();
    Member member = fleet.member();
    LeaseListener back = onAcquisition(1, member, Duration.ofDays(-1));
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().listener(back));
    snowflake.scope().close();
    assertThat(outcome(snowflake)).isEqualTo("refused");
    fleet.pass(Duration.ofSeconds(20));
    assertThat(outcome(snowflake)).isEqualTo("refused");
  }

  /** A clock that is behind the store's by less than the skew has not gone back. */
  @Test
  void takesNoClockThatIsBehindTheStoresForOneThatWentBack() {
    Fleet fleet = withStoreClock();
    Member member = fleet.member().ahead(Duration.ofSeconds(-3));
    Snowflake snowflake = member.start(ONE_WORKER);
    snowflake.scope().close();
    fleet.pass(Duration.ofSeconds(20));
    assertThat(outcome(snowflake)).isNotEqualTo("refused");
    fleet.pass(Duration.ofSeconds(10));
    assertThat(outcome(snowflake)).isNotEqualTo("refused");
  }

  /** Sets a clock once its host has leased a worker ID that many times. */
  private static LeaseListener onAcquisition(int count, Member member, Duration ahead) {
    AtomicInteger left = new AtomicInteger(count);
    return new LeaseListener() {
      @Override
      public void acquired(LeaseStatus status) {
        if (left.decrementAndGet() == 0) {
          member.ahead(ahead);
        }
      }
    };
  }

  @Test
  void givesUpInTimeOnAClockThatStandsStill() {
    int reading = 0;
    boolean wrong = true;
    while (wrong) {
      Fleet fleet = new Fleet();
      Member member = fleet.member();
      StoppedClock clock = new StoppedClock(member);
      Snowflake snowflake = Snowflake.builder().worker(1).timeSource(clock).build();
      long[] ids = new long[1];
      while (snowflake.tryNextIds(ids, 0, 1) > 0) {
        assertThat(ids[0]).isPositive();
      }
      member.wrongOnce(reading, Duration.ofMinutes(-30));
      long begin = fleet.time.nanoTime();
      assertThatThrownBy(snowflake::nextId).isInstanceOf(FirnException.class);
      assertThat(Duration.ofNanos(fleet.time.nanoTime() - begin)).isLessThan(Duration.ofMinutes(1));
      wrong = member.hasBeenWrong();
      reading++;
    }
    assertThat(reading).isGreaterThan(5);
  }

  /** A host's clock that shows the start for ever, apart from wrong readings. */
  private static final class StoppedClock extends ForwardingTimeSource {

    StoppedClock(Member host) {
      super(host);
    }

    @Override
    public long currentTimeMillis() {
      long passed = nanoTime() / 1_000_000;
      return super.currentTimeMillis() - passed;
    }
  }

  private static String outcome(Snowflake snowflake) {
    try {
      return Fleet.timeOf(snowflake, snowflake.nextId()).toString();
    } catch (ClockMovedBackwardsException e) {
      return "refused";
    }
  }

  @Test
  void stopsNothingWithoutALease() {
    for (Duration wrongBy : List.of(YEAR, YEAR.negated())) {
      int reading = 0;
      while (issueFixed(reading, wrongBy)) {
        reading++;
      }
      assertThat(reading).isGreaterThan(8);
    }
  }

  private static boolean issueFixed(int reading, Duration wrongBy) {
    Fleet fleet = new Fleet();
    Member member = fleet.member().wrongOnce(reading, wrongBy);
    Snowflake snowflake =
        Snowflake.builder().worker(1).timeSource(member).maxWait(Duration.ZERO).build();
    for (int seconds = 0; seconds < 8; seconds++) {
      for (int i = 0; i < 2; i++) {
        assertThat(Fleet.timeOf(snowflake, snowflake.nextId()))
            .isBetween(fleet.now().minusMillis(702), fleet.now().plusMillis(1));
      }
      fleet.time.advance(Duration.ofMillis(700));
    }
    assertThat(snowflake.stats().clockSteps()).isZero();
    return member.hasBeenWrong();
  }

  private static Fleet withStoreClock() {
    Fleet fleet = new Fleet();
    fleet.store.withClock(fleet.time::currentTimeMillis);
    return fleet;
  }

  private static void tryNext(Snowflake snowflake) {
    try {
      assertThat(snowflake.tryNextIds(new long[1], 0, 1)).isZero();
    } catch (LeaseExpiredException e) {
      assertThat(e).hasMessageContaining("clock");
    }
  }

  /** A clock that is wrong for a moment, and is asked again and again meanwhile. */
  @Test
  void clockThatIsWrongForAMomentLogsNoExpiry() {
    Fleet fleet = new Fleet();
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER, member.lease().listener(listener));
    fleet.pass(Duration.ofSeconds(5));
    member.ahead(YEAR);
    for (int i = 0; i < 10; i++) {
      tryNext(snowflake);
      member.keeper.runDue();
    }
    member.ahead(Duration.ZERO);
    fleet.pass(Duration.ofSeconds(30));
    snowflake.nextId();
    assertThat(events).isEmpty();
  }
}
