package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

  /** Reads in a turn of the connection, as long as there is more. */
  private void readInTurn(Runnable reading, BooleanSupplier goesOn) {
    EmbeddedChannel channel =
        new EmbeddedChannel() {
          @Override
          protected void doBeginRead() {
            if (readings.isInTurn()) {
              reading.run();
            }
          }
        };
    readings.readInTurn(channel, IN_TURN, goesOn);
  }

  @Test
  void inATurnReadingsAreLongerAndCutWhenItIsOver() {
    growToWholeReadings();
    areShort = true;
    read(SHORT);
    readInTurn(
        () -> {
          assertThat(handle.guess()).isEqualTo(IN_TURN);
          read(IN_TURN);
          assertThat(readings.isFull()).isTrue();
          assertThat(readings.isCut()).isFalse();
        },
        () -> false);
    assertThat(readings.isCut()).isTrue();
    assertThat(handle.guess()).isEqualTo(SHORT);
  }

  /** A loop would read for ever from a connection whose input has ended meanwhile. */
  @Test
  @Timeout(10)
  void aReadingInATurnThatFindsNothingIsNotFull() {
    growToWholeReadings();
    areShort = true;
    read(SHORT);
    assertThat(readings.isFull()).isTrue();
    readInTurn(() -> assertThat(readings.isFull()).isFalse(), () -> true);
    assertThat(readings.isFull()).isFalse();
    assertThat(readings.isCut()).isFalse();
  }
}
