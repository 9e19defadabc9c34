package io.firn.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.block.PlacedIds.Place;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.SwitchedStore;
import io.firn.testkit.TestThreads;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class PlacedIdsTest {

  private static final int MAX_PAGES = 16_384;

  private final RegisterStore store = new InMemoryRegisterStore();

  private PlacedIds ids(String job, long blockSize) {
    return PlacedIds.of(IdBlocks.of(store, "orders"), job, blockSize);
  }

  @Test
  void aPlaceHasTheSameIdInEveryProcess() {
    Place place = new Place("file:/data/orders.csv", 0, "size=17");
    long id = ids("load", 100).idOf(place, 1234);
    assertThat(ids("load", 100).idOf(place, 1234)).isEqualTo(id);
    assertThat(ids("load", 100).blockOf(place, 1234).get(34)).isEqualTo(id);
    assertThat(ids("other", 100).idOf(place, 1234)).isNotEqualTo(id);
  }

  @Test
  @Timeout(60)
  void aPageThatIsKnownIsNotDelayedByAnotherThatIsReserved() throws InterruptedException {
    SwitchedStore slow = new SwitchedStore();
    PlacedIds ids = PlacedIds.of(IdBlocks.of(slow, "orders"), "load", 100);
    Place known = new Place("known", 0, "");
    long id = ids.idOf(known, 0);
    slow.hold();
    int calls = slow.calls();
    TestThreads others = new TestThreads();
    others.start(() -> ids.idOf(new Place("other", 0, ""), 0));
    while (slow.calls() == calls) {
      Thread.onSpinWait();
    }
    AtomicLong read = new AtomicLong();
    TestThreads readers = new TestThreads();
    readers.start(() -> read.set(ids.idOf(known, 0)));
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (read.get() == 0 && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(read).hasValue(id);
    slow.letGo();
    others.join();
    readers.join();
  }

  /** Such as the partitions of topics, in a process whose tasks share the IDs. */
  @Test
  void asManyPlacesAsPagesAreKeptAreReadInTurnWithoutTheStore() {
    SwitchedStore counting = new SwitchedStore();
    PlacedIds ids = PlacedIds.of(IdBlocks.of(counting, "orders"), "load", 10);
    readInTurn(ids, MAX_PAGES);
    int calls = counting.calls();
    readInTurn(ids, MAX_PAGES);
    assertThat(counting.calls()).isEqualTo(calls);
    ids.idOf(new Place("topic", MAX_PAGES, ""), 0);
    ids.idOf(new Place("topic", 1, ""), 0);
    int withOneMore = counting.calls();
    ids.idOf(new Place("topic", 0, ""), 0);
    assertThat(counting.calls()).isGreaterThan(withOneMore);
  }

  private static void readInTurn(PlacedIds ids, int places) {
    for (int partition = 0; partition < places; partition++) {
      ids.idOf(new Place("topic", partition, ""), 0);
    }
  }

  @Test
  void placesThatDifferHaveDifferentIds() {
    Set<Long> seen = new HashSet<>();
    PlacedIds ids = ids("load", 3);
    for (String part : new String[] {"a", "b", "a/0", "x".repeat(300), "x".repeat(301)}) {
      for (int partition = 0; partition < 3; partition++) {
        for (long index = 0; index < 20; index++) {
          seen.add(ids.idOf(new Place(part, partition, ""), index));
        }
      }
    }
    assertThat(seen).hasSize(300);
  }

  @Test
  void anotherFingerprintOrBlockSizeIsRefusedWithBoth() {
    ids("load", 100).idOf(new Place("orders.csv", 0, "size=17"), 0);
    assertThatExceptionOfType(BlockShapeException.class)
        .isThrownBy(() -> ids("load", 100).idOf(new Place("orders.csv", 0, "size=18"), 0))
        .withMessageContaining(
            "Job load:orders.csv has shape rows-per-block=100,size=18, and had shape"
                + " rows-per-block=100,size=17 when its IDs were reserved;");
    assertThatExceptionOfType(BlockShapeException.class)
        .isThrownBy(() -> ids("load", 10).idOf(new Place("orders.csv", 0, "size=17"), 0));
  }

  @Test
  void rowsPastTheLastPageAreRefused() {
    PlacedIds ids = ids("load", 2);
    Place place = new Place("orders.csv", 0, "");
    assertThat(ids.idOf(place, 131_071)).isPositive();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ids.idOf(place, 131_072))
        .withMessage("index: 131072 (expected: below 131072; a larger block size has more)");
    assertThatIllegalArgumentException().isThrownBy(() -> ids.idOf(place, -1));
  }

  @Test
  void aPartThatIsNoNameHasAJobOfItsOwn() {
    assertThat(PlacedIds.nameOf("load", "orders.csv")).isEqualTo("load:orders.csv");
    assertThat(PlacedIds.nameOf("load", "a/b")).matches("load:[0-9a-f]{32}");
    assertThat(PlacedIds.nameOf("j".repeat(31), "x".repeat(249))).hasSize(64);
    assertThatIllegalArgumentException().isThrownBy(() -> ids("j".repeat(32), 1));
    for (String job : List.of("", "a b", "j".repeat(65))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ids(job, 1))
          .withMessage("job: " + job + " (expected: 1..31 of A-Z a-z 0-9 . _ -)");
    }
  }

  @Test
  void jobsAndPartsWhoseNamesJoinToTheSameTextShareNoIds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ids("load:2026", 1))
        .withMessage("job: load:2026 (expected: 1..31 of A-Z a-z 0-9 . _ -)");
    String hashed = PlacedIds.nameOf("load", "a/b");
    assertThat(PlacedIds.nameOf("load", hashed.substring("load:".length()))).isNotEqualTo(hashed);
  }
}
