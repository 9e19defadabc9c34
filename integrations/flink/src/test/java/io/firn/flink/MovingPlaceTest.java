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

  /** After a restore, a FileSource that monitors a folder names its new splits from 1 on again. */
  @Test
  void anIdThatAnotherSplitStillHasIsRefused() throws Exception {
    NumberSequenceSplit restored = new NumberSequenceSplit("a", 5, 6);
    NumberSequenceSplit found = new NumberSequenceSplit("a", 20, 29);
    try (CountingReader<Long, String, NumberSequenceSplit> reader =
        reader(MovingPlaceTest::begin)) {
      MovingSplits.Kept kept = new MovingSplits.Kept();
      reader.addSplits(List.of(new CountedSplit<>(restored, begin(restored), 0)));
      reader.pollNext(kept);
      assertThatIllegalStateException()
          .isThrownBy(() -> reader.addSplits(List.of(new CountedSplit<>(found, begin(found), 0))))
          .withMessageContaining("Split a at Place[part=numbers@20, partition=3")
          .withMessageContaining(" has the ID of one at Place[part=numbers@5, partition=3")
          .withMessageContaining("Restore the job with the parallelism");
    }
  }

  @Test
  void theIdOfASplitThatWasReadMayBeUsedAgain() throws Exception {
    NumberSequenceSplit restored = new NumberSequenceSplit("a", 5, 5);
    NumberSequenceSplit found = new NumberSequenceSplit("a", 20, 29);
    MovingSplits.Kept kept = new MovingSplits.Kept();
    try (CountingReader<Long, String, NumberSequenceSplit> reader = reader(MovingPlaceTest::begin);
        CountingReader<Long, String, NumberSequenceSplit> anew = reader(MovingPlaceTest::begin)) {
      reader.addSplits(List.of(new CountedSplit<>(restored, begin(restored), 0)));
      reader.pollNext(kept);
      reader.addSplits(List.of(new CountedSplit<>(found, begin(found), 0)));
      reader.pollNext(kept);
      anew.addSplits(List.of(new CountedSplit<>(found, begin(found), 0)));
      anew.pollNext(kept);
    }
    assertThat(kept.rows.get(1)).endsWith(" 20").isEqualTo(kept.rows.get(2));
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
