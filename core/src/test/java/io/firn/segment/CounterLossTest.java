package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.FaultyStore.Fault;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.Register;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import io.firn.testkit.ManualTimeSource;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/**
 * A counter that went back, in a store that lost what it acknowledged or shows that it may have.
 */
class CounterLossTest extends OneCounter {

  private void wentBack(RegisterSegments process, long found, long newest) {
    fails(
        CounterWentBackException.class,
        () -> process.next("orders", 1),
        "Counter of key orders in faulty: is at "
            + found
            + ", although this process was given numbers up to "
            + newest
            + "; set it above every number in use");
  }

  @Test
  void refusesACounterBelowWhatItGave() {
    next(10);
    Register old = register();
    next(10);
    store.fallBack(old);
    wentBack(segments, 11, 20);
    wentBack(segments, 11, 20);
    segments.raise("orders", 20);
    wentBack(segments, 20, 20);
    segments.raise("orders", 21);
    assertThat(next(1)).isEqualTo(Segment.of(21, 1));
  }

  @Test
  void refusesACounterThatIsGone() {
    next(10);
    store.forgetAll();
    wentBack(segments, 1, 10);
    RegisterSegments strict = RegisterSegments.builder(store).refuseUnknownKeys().build();
    strict.raise("orders", 30);
    strict.next("orders", 1);
    store.forgetAll();
    wentBack(strict, 0, 30);
  }

  @Test
  void noticesThatOthersWereGivenItsNumbers() {
    RegisterSegments other = process();
    other.next("orders", 10);
    Register old = register();
    next(10);
    store.fallBack(old);
    other.next("orders", 100);
    fails(
        CounterWentBackException.class,
        () -> next(1),
        "Counter of key orders in faulty: is at 111 and does not remember that this process was"
            + " given numbers up to 20; it went back since, and others may have been given the"
            + " same");
    assertThat(next(1)).isEqualTo(Segment.of(111, 1));
  }

  /** The register remembers everything since it was made anew, and not these numbers. */
  @Test
  void noticesThatACounterWasMadeAnewPastItsNumbers() {
    next(10);
    store.forgetAll();
    process().raise("orders", 11);
    process().next("orders", 5);

    fails(
        CounterWentBackException.class,
        () -> next(1),
        "Counter of key orders in faulty: is at 16 and does not remember that this process was"
            + " given numbers up to 10; it went back since, and others may have been given the"
            + " same");
    assertThat(next(1)).isEqualTo(Segment.of(16, 1));
  }

  @Test
  void noticesItAmongSixteenSegmentsOfOthersAndNoMore() {
    for (int others = 14; others <= 17; others++) {
      store.forgetAll();
      RegisterSegments mine = process();
      RegisterSegments other = process();
      other.next("orders", 10);
      Register old = register();
      mine.next("orders", 10);
      store.fallBack(old);
      for (int i = 0; i < others; i++) {
        other.next("orders", 10);
      }
      if (others <= 16) {
        assertThatExceptionOfType(CounterWentBackException.class)
            .as("%s others", others)
            .isThrownBy(() -> mine.next("orders", 1));
      } else {
        assertThat(mine.next("orders", 1)).isNotNull();
      }
    }
  }

  @Test
  void doesNotTakeManySegmentsOfOthersForACounterThatWentBack() {
    for (int others = 14; others <= 18; others++) {
      next(1);
      RegisterSegments other = process();
      for (int i = 0; i < others; i++) {
        other.next("orders", 3);
      }
      assertThat(next(1)).isNotNull();
    }
  }

  @Test
  void numbersThatCameBackWithAnUnknownOutcomeMayBeAnothersWithoutAlarm() {
    Segment mine = next(10);
    store.nextWrites(Fault.REPLY_LOST);
    assertThat(segments.giveBack("orders", mine)).isFalse();

    assertThat(process().next("orders", 5)).isEqualTo(Segment.of(1, 5));

    assertThat(next(5)).isEqualTo(Segment.of(6, 5));
  }

  /** No number is in use that others may be given again. */
  @Test
  void numbersThatAreLostAfterTheyCameBackRaiseNoAlarm() {
    RegisterSegments other = process();
    other.next("orders", 10);
    Register old = register();
    segments.giveBack("orders", next(10));
    store.fallBack(old);

    assertThat(other.next("orders", 5)).isEqualTo(Segment.of(11, 5));
    assertThat(next(5)).isEqualTo(Segment.of(16, 5));
  }

  @Test
  void numbersThatWereOnlyReadAreNotUsed() {
    store.nextWrites(Fault.REPLY_LOST, Fault.REFUSED);

    assertThatExceptionOfType(StoreException.class).isThrownBy(() -> next(10));
  }

  @Test
  void tokenIsNotLookedForBeforeAWriteOfTheCall() {
    // Two copies of a process whose random numbers are the same draw the same tokens.
    RegisterSegments copy =
        RegisterSegments.builder(store).timeSource(new ManualTimeSource(Instant.EPOCH, 7)).build();
    RegisterSegments other =
        RegisterSegments.builder(store).timeSource(new ManualTimeSource(Instant.EPOCH, 7)).build();

    assertThat(copy.next("orders", 10)).isEqualTo(Segment.of(1, 10));
    assertThat(other.next("orders", 10)).isEqualTo(Segment.of(11, 10));
  }

  /** A client library that sends a write again reports a conflict with its own first write. */
  @Test
  void givingBackThatIsReportedAsAConflictThoughAppliedLeavesTheKeyUsable() {
    InMemoryRegisterStore registers = new InMemoryRegisterStore();
    AtomicBoolean sendsTwice = new AtomicBoolean();
    RegisterSegments segments =
        RegisterSegments.of(
            new InterposedStore(registers) {
              @Override
              public WriteResult compareAndSet(String name, long expectedVersion, String value) {
                WriteResult first = registers.compareAndSet(name, expectedVersion, value);
                return sendsTwice.get()
                    ? registers.compareAndSet(name, expectedVersion, value)
                    : first;
              }
            });
    segments.next("orders", 1_000);
    sendsTwice.set(true);
    segments.giveBack("orders", Segment.of(501, 500));
    sendsTwice.set(false);

    assertThat(segments.next("orders", 10)).isEqualTo(Segment.of(501, 10));
  }

  /** A driver that lacks a class, a pool that was closed meanwhile: the write was made. */
  @Test
  void givingBackThatThrowsThoughAppliedLeavesTheKeyUsable() {
    for (Throwable thrown :
        List.of(
            new NoClassDefFoundError("simulated"),
            new IllegalStateException("pool is closed"),
            new StoreException("simulated"))) {
      InMemoryRegisterStore registers = new InMemoryRegisterStore();
      AtomicBoolean failing = new AtomicBoolean();
      RegisterSegments segments =
          RegisterSegments.of(
              new InterposedStore(registers) {
                @Override
                public WriteResult compareAndSet(String name, long expectedVersion, String value) {
                  WriteResult result = registers.compareAndSet(name, expectedVersion, value);
                  if (failing.get()) {
                    throwAny(thrown);
                  }
                  return result;
                }
              });
      segments.next("orders", 1_000);
      failing.set(true);
      assertThatThrownBy(() -> segments.giveBack("orders", Segment.of(501, 500))).isSameAs(thrown);
      failing.set(false);

      assertThat(segments.next("orders", 10)).isEqualTo(Segment.of(501, 10));
    }
  }

  private static void throwAny(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) thrown;
  }

  /** As of a process that is copied between its write and the read that follows. */
  @Test
  void numbersOfAWriteOfUnknownOutcomeGoToOneCopyOnly() {
    AtomicReference<Segment> ofTheCopy = new AtomicReference<>();
    AtomicBoolean copied = new AtomicBoolean();
    InterposedStore original =
        new InterposedStore(store) {
          @Override
          public WriteResult compareAndSet(String name, long expectedVersion, String value) {
            WriteResult result = super.compareAndSet(name, expectedVersion, value);
            if (!copied.getAndSet(true)) {
              ofTheCopy.set(goOnAsACopy(value));
              return WriteResult.UNKNOWN;
            }
            return result;
          }

          /** Whose first write is the very write of the original. */
          private Segment goOnAsACopy(String written) {
            InterposedStore copy =
                new InterposedStore(store) {
                  private boolean first = true;

                  @Override
                  public Optional<Register> read(String name) {
                    return first ? Optional.empty() : super.read(name);
                  }

                  @Override
                  public WriteResult compareAndSet(String name, long expected, String value) {
                    if (first) {
                      first = false;
                      assertThat(value).isEqualTo(written);
                      return WriteResult.UNKNOWN;
                    }
                    return super.compareAndSet(name, expected, value);
                  }
                };
            return RegisterSegments.builder(copy)
                .timeSource(new ManualTimeSource(Instant.EPOCH, 7))
                .build()
                .next("orders", 10);
          }
        };

    Segment ofTheOriginal =
        RegisterSegments.builder(original)
            .timeSource(divergingAfterOneToken())
            .build()
            .next("orders", 10);

    assertThat(ofTheCopy.get()).isNotNull().isNotEqualTo(ofTheOriginal);
  }

  /** The random numbers of the operating system: after a copy was made they are others. */
  private static TimeSource divergingAfterOneToken() {
    ManualTimeSource before = new ManualTimeSource(Instant.EPOCH, 7);
    ManualTimeSource after = new ManualTimeSource(Instant.EPOCH, 8);
    AtomicInteger drawn = new AtomicInteger();
    return new TimeSource() {
      @Override
      public long currentTimeMillis() {
        return before.currentTimeMillis();
      }

      @Override
      public long nanoTime() {
        return before.nanoTime();
      }

      @Override
      public void parkNanos(long nanos) {
        before.parkNanos(nanos);
      }

      @Override
      public long random(long bound) {
        return (drawn.getAndIncrement() < 2 ? before : after).random(bound);
      }
    };
  }

  private void loseNothingYet() {
    store.thatMayForget().thatAllowsCounters().withClock(() -> 0).withIdentity("run1");
    segments.raise("orders", 1);
  }

  @Test
  void storeThatMayForgetIsRefusedUnlessItAllowsCounters() {
    store.thatMayForget();
    String message =
        "store: faulty: may forget (expected: may-forget=false, because a lost counter issues"
            + " numbers"
            + " again, or allow-counters=true)";
    refuses(() -> next(1), message);
    refuses(() -> SegmentGenerator.builder(segments, "orders").build(), message);
    assertThat(segments.entries()).isEmpty();
    assertThat(segments.raise("orders", 5)).isEqualTo(5);
    store.thatAllowsCounters();
    assertThat(next(1)).isEqualTo(Segment.of(5, 1));
  }

  @Test
  void counterRefusesUnderAnotherIdentityUntilItIsRaised() {
    loseNothingYet();
    assertThat(next(10)).isEqualTo(Segment.of(1, 10));
    store.withIdentity("run2");
    fails(SegmentRefusedException.class, () -> next(1), lost("at 11"));
    fails(SegmentRefusedException.class, () -> process().next("orders", 1), lost("at 11"));
    assertThat(process().raise("orders", 5)).isEqualTo(11);
    assertThat(next(1)).isEqualTo(Segment.of(11, 1));
    assertThat(process().raise("orders", 1_000)).isEqualTo(1_000);
    assertThat(next(1)).isEqualTo(Segment.of(1_000, 1));
  }

  @Test
  void counterThatIsNotThereRefusesUntilItIsRaised() {
    loseNothingYet();
    next(10);
    store.forgetAll();
    store.withIdentity("run2");
    fails(SegmentRefusedException.class, () -> next(1), lost("absent"));
    fails(SegmentRefusedException.class, () -> process().next("orders", 1), lost("absent"));
    segments.raise("orders", 100);
    assertThat(process().next("orders", 1)).isEqualTo(Segment.of(100, 1));
  }

  @Test
  void segmentIsNotTakenFromAStoreThatChangedItsIdentitySinceItWasRead() {
    loseNothingYet();
    store.beforeNextWrite(() -> store.withIdentity("run2"));
    fails(SegmentRefusedException.class, () -> next(1), lost("at 1"));
    assertThat(store.value(NAME)).contains("next=1 ").endsWith(" store=run1");
  }

  @Test
  void counterOfAnEarlierFormatRefusesUntilItIsRaised() {
    next(10);
    store.thatMayForget().thatAllowsCounters().withClock(() -> 0).withIdentity("run1");
    fails(SegmentRefusedException.class, () -> next(1), lost("at 11"));
    segments.raise("orders", 11);
    assertThat(next(1)).isEqualTo(Segment.of(11, 1));
  }

  @Test
  void givesBackUnderTheSameIdentityOnly() {
    loseNothingYet();
    Segment given = next(10);
    assertThat(segments.giveBack("orders", given)).isTrue();
    assertThat(next(10)).isEqualTo(given);
    store.withIdentity("run2");
    fails(SegmentRefusedException.class, () -> segments.giveBack("orders", given), lost("at 11"));
  }

  @Test
  void counterRefusesInAnyStoreAfterARestoreUntilItIsRaised() {
    next(10);
    segments.refuseUntilRaised("orders");
    segments.refuseUntilRaised("orders");
    segments.refuseUntilRaised("absent");
    fails(SegmentRefusedException.class, () -> next(1), lost("at 11"));
    segments.raise("orders", 20);
    assertThat(next(1)).isEqualTo(Segment.of(20, 1));
    assertThat(store.value(NAME)).startsWith("firn-segment/1 ");
    assertThat(segments.entries()).extracting(SegmentEntry::key).containsExactly("orders");
  }

  @Test
  void raisingAndRefusingAreRepeatedUntilTheStoreReportsThem() {
    next(10);
    store.nextWrites(Fault.REQUEST_LOST);
    assertThat(segments.raise("orders", 50)).isEqualTo(50);
    assertThat(next(1)).isEqualTo(Segment.of(50, 1));
    store.nextWrites(Fault.REQUEST_LOST);
    segments.refuseUntilRaised("orders");
    fails(SegmentRefusedException.class, () -> next(1), lost("at 51"));
  }

  /** A read may show a write that a failover then takes back. */
  @Test
  void raisingAndRefusingThatWereOnlyReadAreWrittenAgain() {
    next(10);
    store.nextWrites(Fault.REPLY_LOST);
    assertThat(segments.raise("orders", 50)).isEqualTo(50);
    assertThat(store.writes(NAME)).isEqualTo(3);
    store.nextWrites(Fault.REPLY_LOST);
    segments.refuseUntilRaised("orders");
    assertThat(store.writes(NAME)).isEqualTo(5);
    segments.refuseUntilRaised("orders");
    assertThat(store.writes(NAME)).isEqualTo(6);
  }

  @Test
  void raisingAndRefusingFailAfterThreeUnknownOutcomes() {
    next(10);
    String message =
        "Store faulty: did not report the outcome of 3 writes to orders/segment; try again";
    store.nextWrites(Fault.REPLY_LOST, Fault.REPLY_LOST, Fault.REPLY_LOST);
    fails(StoreException.class, () -> segments.raise("orders", 50), message);
    store.nextWrites(Fault.REPLY_LOST, Fault.REPLY_LOST, Fault.REPLY_LOST);
    fails(StoreException.class, () -> segments.refuseUntilRaised("orders"), message);
  }

  private static String lost(String counter) {
    return "Store faulty: may have lost numbers of key orders, whose counter is "
        + counter
        + ", because it was started, promoted or restored; raise the counter above every number in"
        + " use with firn segments --raise";
  }
}
