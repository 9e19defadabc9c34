package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReadSizesTest {

  private static final int SHORT = 1 << 10;
  private static final int GRANTED = 8 << 10;
  private static final int WHOLE = 64 << 10;

  private boolean areShort;
  private final ReadSizes readings = new ReadSizes(() -> areShort ? SHORT : WHOLE);
  private final ExtendedHandle handle = readings.newHandle();

  private void read(int bytes) {
    handle.attemptedBytesRead(handle.guess());
    handle.lastBytesRead(bytes);
  }

  private void growToWholeReadings() {
    while (handle.guess() < WHOLE) {
      read(handle.guess());
      handle.readComplete();
    }
  }

  private void grantAfterAShortReading() {
    growToWholeReadings();
    areShort = true;
    read(SHORT);
    readings.grant();
  }

  @Test
  void aShortReadingThatIsFullIsCut() {
    growToWholeReadings();
    read(WHOLE);
    assertThat(readings.isCut()).isFalse();
    areShort = true;
    assertThat(handle.guess()).isEqualTo(SHORT);
    read(SHORT - 1);
    assertThat(readings.isCut()).isFalse();
    read(SHORT);
    assertThat(readings.isCut()).isTrue();
    areShort = false;
    assertThat(handle.guess()).isEqualTo(WHOLE);
  }

  @Test
  void readingsAreGrantedUntilARequestIsComplete() {
    grantAfterAShortReading();
    readings.grant();
    assertThat(readings.isCut()).isFalse();
    for (int i = 0; i < 3; i++) {
      assertThat(handle.guess()).isEqualTo(GRANTED);
      read(GRANTED);
      readings.taken(false);
      assertThat(readings.isCut()).isFalse();
    }
    readings.taken(true);
    assertThat(readings.isGranted()).isFalse();
    assertThat(handle.guess()).isEqualTo(SHORT);
  }

  @Test
  void readingsAreGrantedUntilThereIsNoMore() {
    grantAfterAShortReading();
    readings.taken(false);
    assertThat(readings.isGranted()).isTrue();
    read(GRANTED - 1);
    readings.taken(false);
    assertThat(readings.isGranted()).isFalse();
  }

  /** Many that send nothing could otherwise have grants for a later moment. */
  @Test
  void theOldestOfTooManyGrantsEnds() {
    List<ReadSizes> all = new ArrayList<>();
    for (int i = 0; i < 129; i++) {
      all.add(new ReadSizes(() -> SHORT));
      all.get(i).grant();
    }
    assertThat(all.stream().filter(ReadSizes::isGranted))
        .containsExactlyElementsOf(all.subList(1, 129));
    all.forEach(each -> each.taken(true));
    assertThat(all).noneMatch(ReadSizes::isGranted);
  }
}
