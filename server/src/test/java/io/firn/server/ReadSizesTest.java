package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import org.junit.jupiter.api.Test;

final class ReadSizesTest {

  private static final int SHORT = 1 << 10;
  private static final int IN_TURN = 8 << 10;
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
  void inATurnReadingsAreLongerAndCutWhenItIsOver() {
    growToWholeReadings();
    areShort = true;
    read(SHORT);
    readings.beginInTurn(IN_TURN);
    assertThat(handle.guess()).isEqualTo(IN_TURN);
    read(IN_TURN);
    assertThat(readings.isFull()).isTrue();
    assertThat(readings.isCut()).isFalse();
    readings.endTurn();
    assertThat(readings.isCut()).isTrue();
    assertThat(handle.guess()).isEqualTo(SHORT);
  }

  /** A loop would read for ever from a connection whose input has ended meanwhile. */
  @Test
  void aReadingInATurnThatFindsNothingIsNotFull() {
    growToWholeReadings();
    areShort = true;
    read(SHORT);
    assertThat(readings.isFull()).isTrue();
    readings.beginInTurn(IN_TURN);
    assertThat(readings.isFull()).isFalse();
    readings.endTurn();
    assertThat(readings.isCut()).isFalse();
  }
}
