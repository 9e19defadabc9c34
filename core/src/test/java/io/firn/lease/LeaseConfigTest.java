package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.InterposedStore;
import io.firn.time.DurationText;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LeaseConfigTest {

  private static final IdLayout SECOND_A_TICK = IdLayout.of("31t+10w+12s@2026-01-01T00:00:00Z/1s");

  private final Fleet fleet = new Fleet();

  private LeaseConfig.Builder lease() {
    return LeaseConfig.builder(fleet.store, "orders").keeper(fleet.member().keeper);
  }

  @Test
  void windowLastsFromAHundredMillisecondsToADay() {
    for (Duration good :
        new Duration[] {Duration.ofMillis(100), Duration.ofMillis(101), Duration.ofDays(1)}) {
      assertThat(lease().window(good).build().windowMillis()).isEqualTo(good.toMillis());
    }
    for (Duration bad :
        new Duration[] {
          Duration.ofMillis(99),
          Duration.ofDays(1).plusMillis(1),
          Duration.ZERO,
          Duration.ofSeconds(-30),
          Duration.ofSeconds(Long.MAX_VALUE)
        }) {
      assertThatThrownBy(() -> lease().window(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("window: " + DurationText.write(bad) + " (expected: 100ms..24h)");
    }
    assertThatThrownBy(() -> lease().window(Duration.ofMillis(100).plusNanos(1)))
        .hasMessage("window: PT0.100000001S (expected: 100ms..24h in whole milliseconds)");
  }

  @Test
  void callOfTheStoreTakesAtMostHalfOfTheWindow() {
    for (long good : new long[] {1, 14_999, 15_000}) {
      assertThat(leaseOverCallsOf(good).build().windowMillis()).isEqualTo(30_000);
    }
    assertThat(leaseOverCallsOf(60_000).window(Duration.ofMinutes(2)).build()).isNotNull();
    for (long bad : new long[] {15_001, 60_000}) {
      assertThatThrownBy(() -> leaseOverCallsOf(bad).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "timeout: "
                  + bad
                  + " ms for a call to memory: (expected: at most half of the window of 30000 ms)");
    }
  }

  private static LeaseConfig.Builder leaseOverCallsOf(long millis) {
    RegisterStore store =
        new InterposedStore(new InMemoryRegisterStore()) {
          @Override
          public Optional<Duration> callTimeout() {
            return Optional.of(Duration.ofMillis(millis));
          }
        };
    return LeaseConfig.builder(store, "orders");
  }

  @Test
  void acquireTimeoutAndClockSkewLastFromNothingToADay() {
    for (Duration good : new Duration[] {Duration.ZERO, Duration.ofMillis(1), Duration.ofDays(1)}) {
      LeaseConfig config = lease().acquireTimeout(good).maxClockSkew(good).build();
      assertThat(config.acquireTimeoutMillis()).hasValue(good.toMillis());
      assertThat(config.maxClockSkewMillis()).isEqualTo(good.toMillis());
    }
    for (Duration bad : new Duration[] {Duration.ofMillis(-1), Duration.ofDays(1).plusMillis(1)}) {
      assertThatThrownBy(() -> lease().acquireTimeout(bad))
          .hasMessage("acquireTimeout: " + DurationText.write(bad) + " (expected: 0ms..24h)");
      assertThatThrownBy(() -> lease().maxClockSkew(bad))
          .hasMessage("maxClockSkew: " + DurationText.write(bad) + " (expected: 0ms..24h)");
    }
  }

  @Test
  void defaultsAreThoseOfTheDocumentation() {
    LeaseConfig config = lease().build();

    assertThat(config.windowMillis()).isEqualTo(30_000);
    assertThat(config.acquireTimeoutMillis()).isEmpty();
    assertThat(config.maxClockSkewMillis()).isEqualTo(5_000);
    assertThat(config.worker()).isEmpty();
    assertThat(config.instance()).matches("[\\x21-\\x7e]{1,100}");
  }

  @Test
  void instanceHasOneToAHundredVisibleCharacters() {
    for (String good : new String[] {"a", "!~=", "x".repeat(99), "x".repeat(100)}) {
      assertThat(lease().instance(good).build().instance()).isEqualTo(good);
    }
    for (String bad : new String[] {"", "x".repeat(101), "a b", "a\n", "\u007f", "ä"}) {
      assertThatThrownBy(() -> lease().instance(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("instance: " + bad + " (expected: 1..100 visible ASCII characters)");
    }
  }

  @Test
  void workerIsNotNegative() {
    assertThat(lease().worker(0).build().worker()).hasValue(0);
    assertThatThrownBy(() -> lease().worker(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("worker: -1 (expected: 0 or more)");
  }

  @Test
  void namespaceHasOneToSixtyFourPlainCharacters() {
    for (String good :
        new String[] {"a", ".", "user:id", "A-b_c.9", "x".repeat(63), "x".repeat(64)}) {
      assertThat(Namespace.of(fleet.store, good).name()).isEqualTo(good);
    }
    for (String bad : new String[] {"", "x".repeat(65), "a/b", "a b", "a\n", "ä", "a*"}) {
      assertThatThrownBy(() -> Namespace.of(fleet.store, bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("namespace: " + bad + " (expected: 1..64 of A-Z a-z 0-9 . _ : -)");
    }
  }

  @Test
  void anyInstanceNameSurvivesTheRegister() {
    for (String name :
        new String[] {"a=b", "==", "state=released", "fence=x/1", "%20", "x".repeat(100)}) {
      Fleet fresh = new Fleet();
      fresh
          .member()
          .start(
              Fleet.ONE_WORKER,
              LeaseConfig.builder(fresh.store, "orders")
                  .instance(name)
                  .keeper(fresh.member().keeper));

      assertThat(Namespace.of(fresh.store, "orders").workers().get(0).holder()).isEqualTo(name);
      assertThat(fresh.record(0).held()).isTrue();
    }
  }

  @Test
  void workerOrDatacenterBesideALeaseIsAContradiction() {
    assertThatThrownBy(() -> Snowflake.builder().worker(7).lease(lease().build()).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("worker: 7 (expected: not set beside a lease, which may be pinned to one)");
    assertThatThrownBy(() -> Snowflake.builder().datacenter(7).lease(lease().build()).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("datacenter: 7 (expected: not set beside a lease, which may be bound to one)");
    assertThat(fleet.store.reads()).isZero();
  }

  @Test
  void leaseIsSetOnce() {
    Snowflake.Builder builder = Snowflake.builder().lease(lease().build());

    assertThatThrownBy(() -> builder.lease(fleet.store, "other"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("lease: ")
        .hasMessageContaining("(expected: set once, it is ");
  }

  @Test
  void leadIsAtMostHalfTheWindow() {
    for (long good : new long[] {499, 500}) {
      assertThatCode(() -> withLead(good).build().close()).doesNotThrowAnyException();
    }
    assertThatThrownBy(() -> withLead(501).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxLead: 501ms (expected: at most half the lease's window of 1s)");
  }

  private Snowflake.Builder withLead(long millis) {
    Fleet.Member member = fleet.member();
    return member
        .builder(IdLayout.CLASSIC, member.lease().window(Duration.ofSeconds(1)))
        .maxLead(Duration.ofMillis(millis));
  }

  @Test
  void windowHoldsAtLeastEightTicks() {
    Fleet.Member member = fleet.member();
    member.start(SECOND_A_TICK, member.lease().window(Duration.ofSeconds(8))).close();
    member.start(SECOND_A_TICK, member.lease().window(Duration.ofMillis(8_001))).close();

    assertThatThrownBy(
            () -> member.start(SECOND_A_TICK, member.lease().window(Duration.ofMillis(7_999))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("window: 7999ms (expected: at least 8 ticks of 1s)");
  }

  @Test
  void refusedLayoutTakesNoWorker() {
    IdLayout future = IdLayout.CLASSIC.withEpoch(Fleet.START.plusSeconds(1));

    assertThatThrownBy(() -> fleet.member().start(future))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("epoch: ");
    assertThat(fleet.store.scan("")).isEmpty();
  }

  @Test
  void otherLayoutOfANamespaceIsRefusedWithBothNamed() {
    fleet.member().start(IdLayout.CLASSIC);

    assertThatThrownBy(() -> fleet.member().start(Fleet.TWO_WORKERS))
        .isInstanceOf(LayoutMismatchException.class)
        .hasMessage(
            "Namespace orders has layout "
                + IdLayout.CLASSIC
                + ", and this process has layout 45t+1w+6s@2026-01-01T00:00:00Z/1ms; start it with"
                + " the namespace's layout, or use another namespace");
    assertThat(fleet.namespace().layout()).contains(IdLayout.CLASSIC);
    assertThat(fleet.namespace().workers()).hasSize(1);
  }

  @Test
  void loserOfARaceForTheLayoutIsRefused() {
    fleet.store.beforeNextWrite(() -> fleet.member().start(IdLayout.CLASSIC));

    assertThatThrownBy(() -> fleet.member().start(Fleet.TWO_WORKERS))
        .isInstanceOf(LayoutMismatchException.class);
  }

  @Test
  void sameLayoutUnderAnotherNameIsTheSame() {
    fleet.member().start(IdLayout.of(IdLayout.CLASSIC.toString()));

    fleet.member().start(IdLayout.CLASSIC).nextId();
  }
}
