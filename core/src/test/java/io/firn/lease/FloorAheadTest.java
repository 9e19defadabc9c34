package io.firn.lease;

import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A reader of a watermark whose process has a wrong clock, in a store without a clock. */
class FloorAheadTest {

  private static final IdLayout LAYOUT = IdLayout.of("41t+4w+6s@2026-01-01T00:00:00Z/1ms");

  private static final IdLayout FEW = IdLayout.of("45t+4w+1s@2026-01-01T00:00:00Z/1ms");

  private static final Duration HOUR = Duration.ofHours(1);

  private final Fleet fleet = new Fleet();

  @Test
  void readerInAProcessWhoseClockIsADayAheadStopsNoOtherProcess() {
    List<Snowflake> right =
        List.of(
            fleet.member().start(LAYOUT),
            fleet.member().start(LAYOUT),
            fleet.member().start(LAYOUT));
    fleet.pass(Duration.ofSeconds(20));
    Watermark watermark =
        Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.member()).build();
    assertThat(watermark.current().id()).isPositive();
    Member wrong = fleet.member().ahead(Duration.ofDays(1));
    Snowflake ahead = wrong.start(LAYOUT, wrong.lease().worker(15));
    assertThat(right).noneMatch(each -> worker(each) == 15);
    Watermark.builder(fleet.store, NAMESPACE).timeSource(wrong).build().current();
    ahead.close();
    wrong.ahead(Duration.ZERO);
    fleet.pass(Duration.ofMinutes(1));
    right.forEach(each -> assertThat(each.nextId()).isPositive());

    Snowflake newProcess = fleet.member().start(LAYOUT);
    assertThat(notBefore(newProcess)).isBefore(fleet.now().plusSeconds(60));
    long id = newProcess.nextId();
    Instant issued = newProcess.layout().parse(id).instant();
    assertThat(issued).isBefore(fleet.now().plusSeconds(60));
    fleet.pass(Duration.ofMinutes(2));
    assertThat(newProcess.nextId()).isGreaterThan(id);
    for (int i = 0; i < 20; i++) {
      watermark.current();
      fleet.pass(Duration.ofSeconds(15));
    }
    assertThat(watermark.current().lag()).isLessThan(Duration.ofMinutes(1));
  }

  /** No holder shows what the right time is, and later IDs must be above the watermark. */
  @Test
  void afterAWatermarkThatIsAnHourAheadOthersIssueAboveItAndGoOn() {
    Watermark watermark = watermarkOfAReaderThatIsAnHourAhead();
    watermark.current();
    Instant before = watermark.current().before();
    assertThat(before).isEqualTo(fleet.now().plus(HOUR));

    issueOverWindows(fleet.member().start(FEW), before);
  }

  @Test
  void aFloorThatIsRaisedFarAheadWhileAWorkerIsLeasedStopsItNotForLong() {
    Watermark watermark = watermarkOfAReaderThatIsAnHourAhead();
    fleet.store.beforeNextWrite(watermark::current);
    Snowflake snowflake = fleet.member().start(FEW);
    fleet.pass(Duration.ofSeconds(15));

    issueOverWindows(snowflake, fleet.now().plus(HOUR).minusSeconds(15));
  }

  private Watermark watermarkOfAReaderThatIsAnHourAhead() {
    fleet.member().start(FEW).close();
    return Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.member().ahead(HOUR)).build();
  }

  private void issueOverWindows(Snowflake snowflake, Instant after) {
    long[] ids = new long[30_000]; // half of a window's
    for (int i = 0; i < 10; i++) {
      for (int drawn = 0; drawn < ids.length; drawn += 2) {
        snowflake.nextIds(ids, drawn, drawn + 2);
      }
      assertThat(snowflake.layout().parse(ids[0]).instant()).isAfterOrEqualTo(after);
      fleet.pass(Duration.ofSeconds(15));
    }
  }
}
