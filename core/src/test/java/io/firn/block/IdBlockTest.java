package io.firn.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.Serialized;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class IdBlockTest {

  private static final String TEXT =
      "firn-block/1 namespace=orders layout=41t+10w+12s@2026-01-01T00:00:00Z/1ms size=5000 tick=7"
          + " workers=600,700";

  static List<IdLayout> layouts() {
    return IdLayout.named().values().stream().toList();
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void idsGrowAndAreThoseOfTheWorkersInARowOfTicks(IdLayout layout) {
    int count = IdBlock.spreads(layout) && layout.workers() >= 8 ? 4 : 1;
    List<Long> workers =
        LongStream.range(0, count).mapToObj(i -> i * layout.workers() / count).toList();
    long perTick = (long) count << layout.bits(IdLayout.Kind.SEQUENCE);
    IdBlock block = new IdBlock("orders", layout, 3 * perTick - 1, 5, workers);

    Set<Long> ids = new HashSet<>();
    long last = -1;
    for (PrimitiveIterator.OfLong iterator = block.iterator(); iterator.hasNext(); ) {
      long id = iterator.nextLong();
      assertThat(id).isGreaterThan(last).isEqualTo(block.get(ids.size()));
      IdParts parts = layout.parse(id);
      assertThat(parts.tick()).isEqualTo(5 + ids.size() / perTick);
      assertThat(workers).contains(layout.workerId(parts.datacenter(), parts.worker()));
      ids.add(id);
      last = id;
    }

    assertThat(ids).hasSize((int) block.size());
    assertThat(block.first()).isEqualTo(block.get(0));
    assertThat(block.last()).isEqualTo(last);
    assertThat(block.from()).isEqualTo(layout.parse(block.first()).instant());
    assertThat(block.until()).isEqualTo(layout.epoch().plus(layout.tick().multipliedBy(8)));
  }

  @Test
  void everyIdOfAFullTickOfAWorkerIsInIt() {
    IdBlock block = IdBlock.parse(TEXT);

    assertThat(block.get(0)).isEqualTo(7L << 22 | 600 << 12);
    assertThat(block.get(4095)).isEqualTo(7L << 22 | 600 << 12 | 4095);
    assertThat(block.get(4096)).isEqualTo(7L << 22 | 700 << 12);
    assertThat(block.get(4999)).isEqualTo(7L << 22 | 700 << 12 | 903);
  }

  @Test
  void anIndexOutsideIsRefused() {
    IdBlock block = IdBlock.parse(TEXT);

    assertThatThrownBy(() -> block.get(-1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> block.get(5000)).isInstanceOf(IndexOutOfBoundsException.class);
  }

  @Test
  void textAndSerializedFormAreTheWholeBlock() throws Exception {
    IdBlock block = IdBlock.parse(TEXT);
    assertThat(Serialized.copyOf(block)).isEqualTo(block).hasToString(TEXT);
    assertThat(block).hasSameHashCodeAs(IdBlock.parse(TEXT));
    assertThat(block).isNotEqualTo(IdBlock.parse(TEXT.replace("tick=7", "tick=8")));
  }

  @Test
  void textOfAnotherKindIsRefused() {
    for (String text :
        List.of(
            "",
            "firn-block/2" + TEXT.substring(12),
            TEXT + " more=1",
            TEXT.replace("size=5000", "size=many"),
            TEXT.replace("size=5000", "size=+5000"),
            TEXT.replace("size=5000", "size=05000"),
            TEXT.replace("size=5000", "size=99999999999999999999"),
            TEXT.replace("tick=7", "tick=\u0667"),
            TEXT.replace("tick=7", "tick=-0"),
            TEXT + ",",
            TEXT + ",,",
            TEXT.replace("600,", ",600,"),
            TEXT.replace("600", "+600"),
            TEXT.replace("size=5000", "count=5000"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> IdBlock.parse(text))
          .withMessage(
              "block: "
                  + text
                  + " (expected: firn-block/1 namespace=NAME layout=LAYOUT size=N tick=N"
                  + " workers=N,..)");
    }
  }

  @Test
  void partsOutOfTheirRangeAreRefused() {
    refused("size: 0 (expected: 1..9223372036854775807)", TEXT.replace("size=5000", "size=0"));
    refused("tick: -1 (expected: 0 or more)", TEXT.replace("tick=7", "tick=-1"));
    for (String workers : List.of("700,600", "600,600", "1,2,3", "-1", "1024")) {
      refused(
          "workers: [" + workers.replace(",", ", ") + "] (expected: 1, 2, 4.. of 1024, ascending)",
          TEXT.replace("600,700", workers));
    }
  }

  private static void refused(String message, String text) {
    assertThatIllegalArgumentException().isThrownBy(() -> IdBlock.parse(text)).withMessage(message);
  }

  @Test
  void blockEndsWithTheLayout() {
    long last = (1L << 41) - 1;
    String text = TEXT.replace("5000", "8192").replace("tick=7", "tick=" + last);

    assertThat(IdBlock.parse(text).until()).isEqualTo(IdLayout.CLASSIC.positiveUntil());
    Instant end = IdLayout.CLASSIC.positiveUntil();
    refused("size: 8193 (expected: an end before " + end + ")", text.replace("8192", "8193"));
    long most = Long.MAX_VALUE;
    refused(
        "size: " + most + " (expected: an end before " + end + ")",
        TEXT.replace("5000", "" + most).replace("tick=7", "tick=" + most));
  }

  @Test
  void workersOfALayoutWhoseWorkerIsAboveTheTimeDoNotSpread() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IdBlock("orders", IdLayout.SEATA, 1, 0, List.of(1L, 2L)));
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new IdBlock(
                    "orders",
                    IdLayout.of("12s+10w+41t@2026-01-01T00:00:00Z/1ms"),
                    1,
                    0,
                    List.of(1L)))
        .withMessageEndingWith("(expected: the time above the sequence, for blocks that grow)");
  }
}
