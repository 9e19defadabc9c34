package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.LogLines;
import java.time.Duration;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Generators that are given numbers which are not past those of before. */
class CounterWentBackTest extends HandFedGenerators {

  @Test
  void refusesASegmentThatIsNotPastTheLastAndDropsWhatItHolds() {
    SegmentGenerator generator = ready(builder().step(10));
    take(generator, 3);
    counter.next = 10;
    fetcher.runDue();
    assertThat(unavailable(generator))
        .hasMessage(
            "Key orders has 0 IDs left, and hand: refuses to give a segment; the last one came 0 ms"
                + " ago; last error: Counter of key orders in hand: is at 10, although this process was"
                + " given numbers up to 10; set it above every number in use")
        .hasCauseInstanceOf(CounterWentBackException.class);
    assertThat(generator.stats().issued()).isEqualTo(3);
    assertThat(generator.stats().newest()).isEqualTo(OptionalLong.of(3));
  }

  @Test
  void continuesOnceTheCounterIsSetAboveWhatItGave() {
    SegmentGenerator generator = ready(builder().step(10));
    take(generator, 3);
    counter.next = 1;
    fetcher.runDue();
    assertThat(unavailable(generator)).isNotNull();
    counter.next = 11;
    clock.advance(Duration.ofSeconds(2));
    fetcher.runDue();
    assertThat(take(generator, 2)).containsExactly(11, 12);
    assertThat(generator.stats().issued()).isEqualTo(5);
  }

  @Test
  void isLoggedAlsoWhereTheSourceFailedBefore() {
    SegmentGenerator generator = ready(builder().step(10));
    try (LogLines log = new LogLines("io.firn.segment")) {
      take(generator, 3);
      counter.failure = new IllegalStateException("away");
      fetcher.runDue();
      counter.failure = null;
      counter.next = 1;
      clock.advance(Duration.ofSeconds(2));
      fetcher.runDue();
      clock.advance(Duration.ofSeconds(2));
      fetcher.runDue();
      assertThat(log.messages())
          .filteredOn(message -> message.contains("was given numbers up to 10; "))
          .hasSize(1);
    }
  }

  @Test
  void refusesSegmentsAmongOthersUnlessTheyMayInterleave() {
    counter.script.add(new Segment(0, 5, 2));
    counter.script.add(new Segment(1, 5, 2));
    SegmentGenerator generator = ready(builder().step(5));
    generator.nextId();
    fetcher.runDue();
    assertThat(unavailable(generator))
        .hasMessageContaining("Counter of key orders in hand: is at 1, ");
  }

  @Test
  void takesTheSegmentsOfSeveralDatabasesInTurn() {
    counter.script.add(new Segment(0, 3, 2));
    counter.script.add(new Segment(1, 3, 2));
    counter.script.add(new Segment(6, 3, 2));
    counter.script.add(new Segment(7, 3, 2));
    counter.next = 1_000;
    SegmentGenerator generator = ready(builder().step(3).interleaved());
    time.onPark(fetcher::runDue);
    assertThat(take(generator, 12)).containsExactly(0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9, 11);
  }

  @Test
  void noticesThatOneOfSeveralDatabasesWentBack() {
    counter.script.add(new Segment(0, 3, 2));
    counter.script.add(new Segment(101, 3, 2));
    counter.script.add(new Segment(4, 3, 2));
    SegmentGenerator generator = ready(builder().step(3).interleaved());
    generator.nextId();
    fetcher.runDue();
    take(generator, 3);
    fetcher.runDue();
    assertThat(unavailable(generator))
        .hasMessageContaining(
            "Counter of key orders in hand: is at 4, although this process was given numbers up to"
                + " 4;");
  }

  @Test
  void noticesNumbersThatTwoStridesHaveInCommon() {
    counter.script.add(new Segment(0, 3, 2));
    counter.script.add(new Segment(3, 1, 3));
    counter.script.add(new Segment(1, 1, 6));
    SegmentGenerator generator = ready(builder().step(1).interleaved());
    generator.nextId();
    fetcher.runDue();
    assertThat(unavailable(generator)).hasMessageContaining(" is at 3, ");
  }
}
