package io.firn.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.firn.block.PlacedIds.Place;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource.NumberSequenceSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Splits that are restored where a checkpoint left them. */
@SuppressWarnings("try") // close() of Flink's readers declares every exception
final class MovingPlaceTest {

  private static final SimpleVersionedSerializer<CountedSplit<NumberSequenceSplit>> FORM =
      new CountedSplit.Serializer<>(new NumberSequenceSource(1, 10).getSplitSerializer());

  @TempDir Path directory;

  private static Place begin(NumberSequenceSplit split) {
    return new Place("numbers@" + split.from(), 3, "to=" + split.to());
  }

  private CountingReader<Long, String, NumberSequenceSplit> reader(
      RowPlace<NumberSequenceSplit> place) {
    CountingReader<Long, String, NumberSequenceSplit> reader =
        new CountingReader<>(
            new MovingSplits(),
            place,
            StampOptions.stable("file:" + directory, "orders", "load").blockSize(100),
            (number, id) -> id + " " + number);
    reader.start();
    return reader;
  }

  /** Reads two rows of a split that begins with 5, and returns it as a checkpoint has it. */
  private CountedSplit<NumberSequenceSplit> readTwo(RowPlace<NumberSequenceSplit> place)
      throws Exception {
    NumberSequenceSplit split = new NumberSequenceSplit("a", 5, 9);
    try (CountingReader<Long, String, NumberSequenceSplit> reader = reader(place)) {
      reader.addSplits(List.of(new CountedSplit<>(split, place.of(split), 0)));
      MovingSplits.Kept kept = new MovingSplits.Kept();
      reader.pollNext(kept);
      reader.pollNext(kept);
      assertThat(kept.rows).hasSize(2);
      CountedSplit<NumberSequenceSplit> left = reader.snapshotState(1).get(0);
      return FORM.deserialize(FORM.getVersion(), FORM.serialize(left));
    }
  }

  @Test
  void aPlaceThatMovesWithWhatWasReadIsRefusedWithBoth() throws Exception {
    CountedSplit<NumberSequenceSplit> restored = readTwo(MovingPlaceTest::begin);
    assertThat(restored.split().from()).isEqualTo(7);
    assertThat(restored.count()).isEqualTo(2);
    assertThat(restored.place()).isEqualTo(new Place("numbers@5", 3, "to=9"));
    try (CountingReader<Long, String, NumberSequenceSplit> again = reader(MovingPlaceTest::begin)) {
      assertThatIllegalStateException()
          .isThrownBy(() -> again.addSplits(List.of(restored)))
          .withMessageContaining("The place of split a was Place[part=numbers@5, partition=3")
          .withMessageContaining(" when it was assigned and is Place[part=numbers@7, partition=3")
          .withMessageContaining("use StampFunction");
    }
  }

  @Test
  void aPlaceThatStaysCountsOn() throws Exception {
    RowPlace<NumberSequenceSplit> fixed = split -> new Place("numbers", 0, "");
    CountedSplit<NumberSequenceSplit> restored = readTwo(fixed);
    MovingSplits.Kept kept = new MovingSplits.Kept();
    try (CountingReader<Long, String, NumberSequenceSplit> again = reader(fixed)) {
      again.addSplits(List.of(restored));
      again.pollNext(kept);
    }
    try (CountingReader<Long, String, NumberSequenceSplit> anew = reader(fixed)) {
      NumberSequenceSplit split = new NumberSequenceSplit("a", 5, 9);
      anew.addSplits(List.of(new CountedSplit<>(split, fixed.of(split), 0)));
      for (int row = 0; row < 3; row++) {
        anew.pollNext(kept);
      }
    }
    assertThat(kept.rows.get(0)).endsWith(" 7").isEqualTo(kept.rows.get(3));
  }

  /** A split has no count there: its enumerator would assign it as one of which no row was read. */
  @Test
  void aSplitThatComesBackAfterItsFirstRowIsRefused() throws Exception {
    NumberSequenceSplit split = new NumberSequenceSplit("a", 5, 9);
    try (MovingSplits.Returned returned = new MovingSplits.Returned()) {
      CountingEnumerator<NumberSequenceSplit, Integer> enumerator =
          new CountingEnumerator<>(returned);
      enumerator.addSplitsBack(List.of(new CountedSplit<>(split, begin(split), 0)), 0);
      assertThat(returned.splits).containsExactly(split);
      assertThatIllegalStateException()
          .isThrownBy(
              () ->
                  enumerator.addSplitsBack(List.of(new CountedSplit<>(split, begin(split), 1)), 0))
          .withMessageContaining(" after 1 rows came back to its enumerator, which would count");
      assertThat(returned.splits).hasSize(1);
    }
  }
}
