package io.firn.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.segment.RegisterSegments;
import io.firn.segment.Segment;
import io.firn.segment.SegmentRefusedException;
import io.firn.store.FaultyStore;
import io.firn.store.FaultyStore.Fault;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class NumberBlocksTest {

  private final FaultyStore store = new FaultyStore();

  private NumberBlocks numbers() {
    return NumberBlocks.of(store, "orders");
  }

  private static BlockName name(int partition, int page) {
    return new BlockName("load", "4:9f2c51", partition, page);
  }

  @Test
  void blocksAreDenseAndBeginWithOne() {
    assertThat(numbers().take(1000)).isEqualTo(Segment.of(1, 1000));
    assertThat(numbers().named(name(0, 0), 7)).isEqualTo(Segment.of(1001, 7));
    assertThat(RegisterSegments.of(store).next("orders", 1)).isEqualTo(Segment.of(1008, 1));
    assertThat(numbers().take(1)).isEqualTo(Segment.of(1009, 1));
  }

  @Test
  void theSameNameIsTheSameBlock() {
    Segment block = numbers().named(name(3, 9), 1000);
    assertThat(numbers().named(name(3, 9), 1000)).isEqualTo(block);
    assertThat(numbers().named(name(3, 10), 1000).first()).isGreaterThan(block.last());
    assertThat(numbers().jobs()).singleElement().extracting(BlockJob::ids).isEqualTo(2000L);

    assertThatThrownBy(() -> numbers().named(name(3, 9), 1001))
        .isInstanceOf(BlockShapeException.class);
    assertThatThrownBy(() -> numbers().named(new BlockName("load", "8:9f2c51", 0, 0), 1000))
        .isInstanceOf(BlockShapeException.class);
  }

  @Test
  void namesAreNotThoseOfBlocksOfIds() {
    IdBlock ids = IdBlocks.of(store, "orders").named(name(0, 0), 10);
    assertThat(numbers().named(name(0, 0), 20)).isEqualTo(Segment.of(1, 20));
    assertThat(IdBlocks.of(store, "orders").named(name(0, 0), 10)).isEqualTo(ids);
    assertThat(IdBlocks.of(store, "orders").jobs()).hasSize(1);
  }

  @Test
  void aForgottenJobGetsOtherNumbers() {
    Segment before = numbers().named(name(0, 0), 10);
    assertThat(numbers().forget("load")).isTrue();
    assertThat(numbers().forget("other")).isFalse();
    assertThat(numbers().named(new BlockName("load", "8:1", 0, 0), 20).first())
        .isGreaterThan(before.last());
  }

  @Test
  void everyWriteMayFailInEveryWayAndTheNameStaysOneBlock() {
    for (Fault fault : Fault.values()) {
      for (int at = 0; at < 4 && fault != Fault.REFUSED; at++) {
        store.forgetAll();
        Fault[] faults = new Fault[at + 1];
        Arrays.fill(faults, Fault.APPLIED);
        faults[at] = fault;
        store.nextWrites(faults);
        Segment first = numbers().named(name(0, 0), 100);
        store.deliverLate();
        Segment other = numbers().named(name(1, 0), 100);
        assertThat(numbers().named(name(0, 0), 100)).as("%s at %d", fault, at).isEqualTo(first);
        assertThat(Math.abs(other.first() - first.first())).isGreaterThanOrEqualTo(100);
      }
    }
  }

  @Test
  void limitsAreChecked() {
    assertThatIllegalArgumentException().isThrownBy(() -> numbers().take(0));
    assertThatIllegalArgumentException().isThrownBy(() -> numbers().take(IdBlocks.MAX_SIZE + 1));
    assertThatIllegalArgumentException().isThrownBy(() -> numbers().named(name(0, 0), 0));
    assertThatIllegalArgumentException().isThrownBy(() -> NumberBlocks.of(store, "a/b"));
    RegisterSegments.of(store).raise("orders", Long.MAX_VALUE - 5);
    assertThat(numbers().take(5).count()).isEqualTo(5);
    assertThatThrownBy(() -> numbers().take(1)).isInstanceOf(SegmentRefusedException.class);
  }

  @Test
  void fewerNumbersThanAskedForAreRefused() {
    RegisterSegments.of(store).raise("orders", Long.MAX_VALUE - 5);
    assertThatThrownBy(() -> numbers().take(6))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessage(
            "Counter of key orders had 5 numbers left, of 6 that a block needs; take a smaller"
                + " block, or use another key");
    assertThatThrownBy(() -> numbers().named(name(0, 0), 6))
        .isInstanceOf(SegmentRefusedException.class);
    assertThat(numbers().named(name(0, 0), 2)).isEqualTo(Segment.of(Long.MAX_VALUE - 5, 2));
    assertThat(numbers().take(3)).isEqualTo(Segment.of(Long.MAX_VALUE - 3, 3));
  }

  @Test
  void numbersThatARefusedBlockCouldNotGiveBackAreNotOffered() {
    RegisterSegments.of(store).raise("orders", Long.MAX_VALUE - 5);
    store.nextWrites(Fault.APPLIED, Fault.REQUEST_LOST);
    assertThatThrownBy(() -> numbers().take(6))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessage(
            "Counter of key orders had 5 numbers left, of 6 that a block needs; they could not"
                + " be given back, use another key");
  }

  @Test
  void aStoreThatMayForgetIsRefused() {
    store.thatMayForget();
    assertThatIllegalArgumentException().isThrownBy(this::numbers);
  }
}
