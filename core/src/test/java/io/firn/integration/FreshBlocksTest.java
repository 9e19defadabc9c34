package io.firn.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.block.IdBlocks;
import io.firn.lease.Watermark;
import io.firn.store.StoreException;
import io.firn.testkit.ManualTimeSource;
import io.firn.testkit.SwitchedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreshBlocksTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);

  private final SwitchedStore store = new SwitchedStore();
  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-30T00:00:00Z"));

  private FreshBlocks ids(long size) {
    return new FreshBlocks(IdBlocks.builder(store, "orders").timeSource(time).build(), size, time);
  }

  @Test
  void takesABlockForEachSizeOfIds() {
    FreshBlocks ids = ids(10);
    FreshBlocks others = ids(10);
    Set<Long> seen = new HashSet<>();
    for (int i = 0; i < 100; i++) {
      seen.add(ids.next());
      seen.add(others.next());
    }
    assertThat(seen).hasSize(200);
  }

  @Test
  void leavesABlockThatIsOlderThanAMinute() {
    FreshBlocks ids = ids(10);
    long first = ids.next();
    time.advance(MINUTE);
    long second = ids.next();
    assertThat(second).isEqualTo(first + 1);
    time.advance(Duration.ofNanos(1));
    int calls = store.calls();
    long third = ids.next();
    assertThat(store.calls()).isGreaterThan(calls);
    assertThat(third).isGreaterThan(second + 8);
    assertThat(ids.next()).isEqualTo(third + 1);
  }

  @Test
  void usesTheRestOfAnOldBlockWhileTheStoreIsDown() {
    FreshBlocks ids = ids(3);
    long first = ids.next();
    time.advance(MINUTE.plusNanos(1));
    store.down(true);
    assertThat(ids.next()).isEqualTo(first + 1);
    int calls = store.calls();
    assertThat(ids.next()).isEqualTo(first + 2);
    assertThat(store.calls()).isEqualTo(calls);
    assertThatThrownBy(ids::next).isInstanceOf(StoreException.class);
    store.down(false);
    assertThat(ids.next()).isGreaterThan(first + 2);
  }

  @Test
  void usesTheRestOfAnOldBlockWhereNoneIsGivenAnyMore() {
    FreshBlocks ids = ids(2);
    long first = ids.next();
    Watermark.of(store, "orders").current(); // no block is given in a namespace that has one
    time.advance(MINUTE.plusNanos(1));
    assertThat(ids.next()).isEqualTo(first + 1);
    assertThatThrownBy(ids::next).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void takesAsManyAsWereUsedInAMinuteAndTwiceAsManyOnceTheseAreUsedUp() {
    FreshBlocks ids = ids(1_000);
    long first = ids.next();
    assertThat(ids.next()).isEqualTo(first + 1);
    time.advance(MINUTE.plusNanos(1));
    long second = ids.next(); // of two
    assertThat(ids.next()).isEqualTo(second + 1);
    long third = ids.next(); // of four
    assertThat(third).isGreaterThan(second + 2);
    assertThat(List.of(ids.next(), ids.next(), ids.next()))
        .containsExactly(third + 1, third + 2, third + 3);
    assertThat(ids.next()).isGreaterThan(third + 4);
  }
}
