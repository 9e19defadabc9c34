package io.firn.lease;

import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.lease.Fleet.Member;
import io.firn.lease.NamespaceRecord.Settling;
import io.firn.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which marks count, by their time: to the millisecond. */
class MarkTimeTest {

  private static final String LAYOUT = NAMESPACE + "/layout";
  private static final long SKEW = 5_000;

  private final Fleet fleet = new Fleet();
  private final Member member = fleet.member();
  private Duration storeAhead = Duration.ZERO;

  @BeforeEach
  void giveTheStoreAnIdentity() {
    fleet
        .store
        .withClock(() -> fleet.time.currentTimeMillis() + storeAhead.toMillis())
        .withIdentity("run1");
  }

  private Settlement settlement() {
    LeaseConfig config = member.lease().build();
    return new Settlement(config, TWO_WORKERS, member, 0, new ReferenceClock(config, member));
  }

  private static Settling mark(Instant since) {
    return new Settling(
        60_000,
        AfterLoss.AHEAD,
        "run1",
        "mark-" + since.toEpochMilli(),
        OptionalLong.of(since.toEpochMilli()),
        "");
  }

  private void put(Settling mark) {
    fleet.store.put(LAYOUT, new NamespaceRecord(TWO_WORKERS, mark).text());
  }

  private static void see(Settlement settlement) {
    assertThat(read(settlement).sinceMillis()).isPresent();
  }

  private static Settling read(Settlement settlement) {
    return settlement.read(List.of()).orElseThrow().settling();
  }

  @Test
  void markThatIsOlderThanOneThatWasSeenCountsWithinTheSkew() {
    for (long older : new long[] {SKEW, SKEW + 1}) {
      fleet.time.advance(Duration.ofMinutes(10));
      Instant seen = fleet.now();
      Settlement settlement = settlement();
      put(mark(seen));
      see(settlement);
      fleet.time.advance(Duration.ofSeconds(59));
      Settling mark = mark(seen.minusMillis(older));
      put(mark);

      if (older == SKEW) {
        assertThat(read(settlement)).isEqualTo(mark);
      } else {
        assertThatThrownBy(() -> read(settlement))
            .isInstanceOf(StoreException.class)
            .hasMessage(
                "Store faulty: answers as run1, which was replaced at %s (expected: one primary"
                        .formatted(seen)
                    + " behind its address); nothing is leased there until "
                    + seen.plusSeconds(60));
      }
    }
  }

  @Test
  void markOfAnOlderStateOfTheStoreIsReplacedAtOnce() {
    Settlement settlement = settlement();
    Instant older = fleet.now();
    fleet.time.advance(Duration.ofMinutes(10));
    put(mark(fleet.now()));
    see(settlement);
    put(mark(older));
    fleet.store.withIdentity("run2"); // a replica that lags behind was promoted

    Settling mark = read(settlement);
    assertThat(mark.identity()).isEqualTo("run2");
    assertThat(mark.sinceMillis()).hasValue(fleet.time.currentTimeMillis());
  }

  @Test
  void markOfTheFutureCountsWithinTheSkew() {
    Settling mark = mark(fleet.now().plusMillis(SKEW));
    put(mark);
    assertThat(read(settlement())).isEqualTo(mark);

    put(mark(fleet.now().plusMillis(SKEW + 1)));
    assertThat(read(settlement()).sinceMillis()).hasValue(fleet.time.currentTimeMillis());
  }

  @Test
  void processThatSawAMarkOfTheFutureGoesOnOnceClocksAreRight() {
    Duration year = Duration.ofDays(365);
    Settlement settlement = settlement();
    storeAhead = year;
    member.ahead(year);
    put(mark(fleet.now().plus(year)));
    see(settlement);
    storeAhead = Duration.ZERO;
    member.ahead(Duration.ZERO);

    assertThat(read(settlement).sinceMillis()).hasValue(fleet.time.currentTimeMillis());
  }

  @Test
  void slowAnswerIsNoSkew() {
    Settling mark = mark(fleet.now());
    put(mark);
    fleet.store.withClock(
        () -> {
          long millis = fleet.time.currentTimeMillis();
          fleet.time.advance(Duration.ofSeconds(10)); // before the answer is there
          return millis;
        });

    assertThat(read(settlement())).isEqualTo(mark);
  }

  @Test
  void operatorWritesNoMarkWhileClocksDisagree() {
    Settling mark = mark(fleet.now());
    put(mark);
    Namespace namespace = fleet.namespace();
    for (long off : new long[] {-SKEW - 2, SKEW + 2}) {
      storeAhead = Duration.ofMillis(off);
      assertThatThrownBy(namespace::renewMark)
          .as(off + " ms")
          .isInstanceOf(ClockSkewException.class);
      assertThatThrownBy(() -> namespace.raiseSettleTime(Duration.ofMinutes(2)))
          .as(off + " ms")
          .isInstanceOf(ClockSkewException.class);
    }

    assertThat(NamespaceRecord.parse(fleet.store.read(LAYOUT).orElseThrow()).settling())
        .isEqualTo(mark);
  }
}
