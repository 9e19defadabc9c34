package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.FaultyStore.Fault;
import io.firn.store.Register;
import io.firn.store.StoreException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class RegisterSegmentsTest extends OneCounter {

  // What is written.

  @Test
  void handsOutWhatTheRegisterIsMovedPast() {
    assertThat(next(1_000)).isEqualTo(Segment.of(1, 1_000));
    assertThat(process().next("orders", 5)).isEqualTo(Segment.of(1_001, 5));
    assertThat(next(1)).isEqualTo(Segment.of(1_006, 1));
    assertThat(store.value(NAME))
        .matches(
            "firn-segment/1 next=1007 step=1"
                + " recent=1006\\+1:[0-9a-f]+,1001\\+5:[0-9a-f]+,1\\+1000:[0-9a-f]+");
  }

  @Test
  void eachKeyHasItsOwnNumbers() {
    next(10);
    assertThat(segments.next("bills", 10)).isEqualTo(Segment.of(1, 10));
    assertThat(segments.entries())
        .containsExactly(new SegmentEntry("bills", 11, 10), new SegmentEntry("orders", 11, 10));
  }

  @Test
  void remembersTheSixteenNewestSegments() {
    for (int i = 0; i < 17; i++) {
      next(1);
    }
    assertThat(store.value(NAME)).contains(" recent=17+1:", ",2+1:").doesNotContain(",1+1:");
  }

  @Test
  void doesNotMindOtherRegisters() {
    store.put("orders/layout", "firn-namespace/1 layout=classic");
    next(1);
    assertThat(segments.entries()).hasSize(1);
  }

  @Test
  void refusesARegisterThatIsNoCounter() {
    String numbers = "next=NUMBER step=NUMBER recent=FIRST+COUNT:TOKEN,… in 0..2^63-1";
    for (String text :
        new String[] {
          "firn-segment/1 next=x step=1",
          "firn-segment/1 next=-1 step=1",
          "firn-segment/1 next=9223372036854775808 step=1",
          "firn-segment/1 next=1 step=1 recent=1+1",
          "firn-segment/1 next=1 step=1 recent=1+1:a,",
        }) {
      isUnreadable(text, numbers);
    }
    isUnreadable("firn-segment/1 step=1", "next=…");
    isUnreadable("firn-segment/2 next=1 step=1", "store=…");
    isUnreadable("firn-segment/3 next=1 step=1", "firn-segment/1 …");
  }

  private void isUnreadable(String text, String read) {
    store.put(NAME, text);
    fails(
        StoreException.class,
        () -> next(1),
        "Register orders/segment cannot be read: it holds "
            + text
            + ", and this version reads "
            + read
            + "; use the version that wrote it, or restore the register");
  }

  // Limits.

  @Test
  void limitsTheKey() {
    String rule = " (expected: 1..64 of A-Z a-z 0-9 . _ : -)";
    assertThat(segments.next("Az0._:-", 1)).isNotNull();
    assertThat(segments.next("k".repeat(64), 1)).isNotNull();
    refuses(() -> segments.requireKey(""), "key: " + rule);
    refuses(() -> segments.next("k".repeat(65), 1), "key: " + "k".repeat(65) + rule);
    refuses(() -> segments.requireKey("a/b"), "key: a/b" + rule);
  }

  @Test
  void limitsTheCount() {
    assertThat(next(Segment.MAX_COUNT).count()).isEqualTo(Segment.MAX_COUNT);
    refuses(() -> next(0), "count: 0 (expected: 1..281474976710656)");
    refuses(() -> next(-1), "count: -1 (expected: 1..281474976710656)");
    refuses(
        () -> next(Segment.MAX_COUNT + 1), "count: 281474976710657 (expected: 1..281474976710656)");
  }

  @Test
  void beginsWithTheInitialNumber() {
    assertThat(RegisterSegments.builder(store).initial(0).build().next("zero", 2))
        .isEqualTo(Segment.of(0, 2));
    assertThat(RegisterSegments.builder(store).initial(1_000_000).build().next("more", 2))
        .isEqualTo(Segment.of(1_000_000, 2));
    assertThat(RegisterSegments.builder(store).initial(7).build().next("zero", 1))
        .isEqualTo(Segment.of(2, 1));
    String expected = " (expected: 0..9223372036854775806)";
    refuses(() -> RegisterSegments.builder(store).initial(-1).build(), "initial: -1" + expected);
    refuses(
        () -> RegisterSegments.builder(store).initial(Long.MAX_VALUE).build(),
        "initial: 9223372036854775807" + expected);
    refuses(
        () -> RegisterSegments.builder(store).initial(1).refuseUnknownKeys().build(),
        "initial: 1 (expected: not set where unknown keys are refused)");
    refuses(
        () -> RegisterSegments.builder(store).initial(1).initial(2),
        "initial: 2 (expected: set once, it is 1)");
  }

  @Test
  void endsBeforeTheNumbersOverflow() {
    segments.raise("orders", Long.MAX_VALUE - 3);
    assertThat(next(2)).isEqualTo(Segment.of(Long.MAX_VALUE - 3, 2));
    assertThat(next(1_000)).isEqualTo(Segment.of(Long.MAX_VALUE - 1, 1));
    fails(
        SegmentRefusedException.class,
        () -> next(1),
        "Counter of key orders in faulty: is at 9223372036854775807: all numbers are used up; use"
            + " another key");
  }

  @Test
  void refusesAnUnknownKeyIfConfigured() {
    RegisterSegments strict = RegisterSegments.builder(store).refuseUnknownKeys().build();
    fails(
        UnknownKeyException.class,
        () -> strict.next("orders", 1),
        "key: orders (expected: one that has a counter in faulty:)");
    assertThat(strict.raise("orders", 42)).isEqualTo(42);
    assertThat(strict.next("orders", 1)).isEqualTo(Segment.of(42, 1));
  }

  @Test
  void raisesACounterAndNeverLowersIt() {
    assertThat(segments.raise("orders", 100)).isEqualTo(100);
    assertThat(segments.raise("orders", 99)).isEqualTo(100);
    assertThat(segments.raise("orders", 100)).isEqualTo(100);
    assertThat(store.writes(NAME)).isEqualTo(3);
    assertThat(next(1)).isEqualTo(Segment.of(100, 1));
    assertThat(segments.raise("orders", 1_000)).isEqualTo(1_000);
    assertThat(next(1)).isEqualTo(Segment.of(1_000, 1));
    refuses(() -> segments.raise("orders", -1), "number: -1 (expected: 0..9223372036854775807)");
  }

  // Writes that are refused, and writes that nobody knows about.

  @Test
  void triesAgainWhenAnotherProcessWasFaster() {
    next(1);
    store.beforeNextWrite(() -> process().next("orders", 10));
    assertThat(next(1)).isEqualTo(Segment.of(12, 1));
  }

  @Test
  void givesUpWhenOthersAreAlwaysFaster() {
    RegisterSegments other = process();
    Runnable[] faster = new Runnable[1];
    faster[0] =
        () -> {
          other.next("orders", 1);
          store.beforeNextWrite(faster[0]);
        };
    store.beforeNextWrite(faster[0]);
    fails(
        StoreException.class,
        () -> next(1),
        "Store faulty: refused 64 writes to orders/segment in a row; try again, or take larger"
            + " segments, so that processes write less often");
    assertThat(register().value()).startsWith("firn-segment/1 next=65 ");
  }

  @Test
  void writeWhoseReplyWasLostIsRecognised() {
    store.nextWrites(Fault.REPLY_LOST);
    assertThat(next(10)).isEqualTo(Segment.of(1, 10));
    assertThat(next(10)).isEqualTo(Segment.of(11, 10));
  }

  @Test
  void writeWhoseReplyWasLostIsRecognisedBehindThoseOfOthers() {
    RegisterSegments other = process();
    store.nextWrites(Fault.REPLY_LOST);
    store.beforeNextRead(() -> store.beforeNextRead(() -> other.next("orders", 5)));
    assertThat(next(10)).isEqualTo(Segment.of(1, 10));
    assertThat(next(1)).isEqualTo(Segment.of(16, 1));
  }

  @Test
  void writeThatWasLostIsMadeAgain() {
    store.nextWrites(Fault.REQUEST_LOST);
    assertThat(next(10)).isEqualTo(Segment.of(1, 10));
  }

  @Test
  void writeThatComesLateIsNotMadeTwice() {
    next(1);
    store.nextWrites(Fault.LATE);
    assertThat(next(10)).isEqualTo(Segment.of(2, 10));
    store.deliverLate();
    assertThat(next(10)).isEqualTo(Segment.of(12, 10));
  }

  @Test
  void unknownOutcomesAreRetriedThreeTimes() {
    Fault[] lost = new Fault[3];
    Arrays.fill(lost, Fault.REQUEST_LOST);
    store.nextWrites(lost);
    fails(
        StoreException.class,
        () -> next(1),
        "Store faulty: did not report the outcome of 3 writes, whose numbers of key orders may be"
            + " lost; try again");
    assertThat(next(1)).isEqualTo(Segment.of(1, 1));
  }

  @Test
  void segmentIsLostIfTheStoreFailsBeforeItReplies() {
    store.nextWrites(Fault.REPLY_LOST);
    store.beforeNextRead(() -> store.beforeNextRead(store::goDown));
    fails(StoreException.class, () -> next(10), "Store faulty: did not answer");
    store.comeBack();
    assertThat(next(10)).isEqualTo(Segment.of(11, 10));
  }

  // Giving back.

  @Test
  void takesBackNumbersIfNoLaterOnesWereHandedOut() {
    next(100);
    assertThat(segments.giveBack("orders", Segment.of(41, 60))).isTrue();
    assertThat(process().next("orders", 10)).isEqualTo(Segment.of(41, 10));
  }

  @Test
  void takesBackSeveralSegmentsTheLastFirst() {
    next(100);
    next(100);
    assertThat(segments.giveBack("orders", Segment.of(101, 100))).isTrue();
    assertThat(segments.giveBack("orders", Segment.of(50, 51))).isTrue();
    assertThat(process().next("orders", 1)).isEqualTo(Segment.of(50, 1));
  }

  @Test
  void takesBackTheSixteenNewestSegmentsOfAProcess() {
    for (int i = 0; i < 16; i++) {
      next(10);
    }
    for (int i = 15; i >= 0; i--) {
      assertThat(segments.giveBack("orders", Segment.of(1 + 10L * i, 10))).isTrue();
    }
    assertThat(process().next("orders", 1)).isEqualTo(Segment.of(1, 1));
  }

  /** The register shows an older segment again only after its store went back. */
  @Test
  void processRemembersItsSixteenNewestSegmentsAndNoMore() {
    for (int later = 14; later <= 17; later++) {
      store.forgetAll();
      RegisterSegments mine = process();
      Segment first = mine.next("orders", 10);
      Register old = register();
      for (int i = 0; i < later; i++) {
        mine.next("orders", 10);
      }
      store.fallBack(old);
      assertThat(mine.giveBack("orders", first)).as("%s later", later).isEqualTo(later < 16);
    }
  }

  @Test
  void takesNothingBackOnceALaterSegmentWasTaken() {
    next(100);
    process().next("orders", 1);
    assertThat(segments.giveBack("orders", Segment.of(41, 60))).isFalse();
    assertThat(process().next("orders", 1)).isEqualTo(Segment.of(102, 1));
  }

  @Test
  void takesNothingBackThatIsAnothers() {
    next(100);
    assertThat(process().giveBack("orders", Segment.of(41, 60))).isFalse();
    assertThat(segments.giveBack("orders", Segment.of(41, 59))).isFalse();
    assertThat(segments.giveBack("orders", Segment.of(0, 101))).isFalse();
    segments.raise("orders", 200);
    assertThat(segments.giveBack("orders", Segment.of(41, 60))).isFalse();
  }

  @Test
  void numbersThatCameBackAreNoCounterThatWentBack() {
    RegisterSegments other = process();
    other.next("orders", 5);
    next(100);
    segments.giveBack("orders", Segment.of(6, 100));
    assertThat(next(10)).isEqualTo(Segment.of(6, 10));
    assertThat(other.next("orders", 10)).isEqualTo(Segment.of(16, 10));
  }

  @Test
  void numbersThatCameBackDoNotShortenTheMemory() {
    RegisterSegments other = process();
    other.next("orders", 5);
    for (int i = 0; i < 16; i++) {
      next(1);
    }
    segments.giveBack("orders", Segment.of(21, 1));
    assertThat(other.next("orders", 1)).isEqualTo(Segment.of(21, 1));
  }

  @Test
  void givingBackMayBeLostWithoutHarm() {
    next(100);
    store.nextWrites(Fault.LATE);
    assertThat(segments.giveBack("orders", Segment.of(41, 60))).isFalse();
    assertThat(next(10)).isEqualTo(Segment.of(101, 10));
    store.deliverLate();
    assertThat(next(10)).isEqualTo(Segment.of(111, 10));
  }
}
