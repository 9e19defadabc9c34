package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import org.junit.jupiter.api.Test;

final class ReadingsTest {

  private static final int SHORT = 2 << 10;
  private static final int WHOLE = 64 << 10;

  private boolean areShort;
  private final Readings readings = new Readings(() -> areShort);
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
  void oneReadingIsGranted() {
    areShort = true;
    read(SHORT);
    readings.grant();
    assertThat(readings.isCut()).isFalse();
    assertThat(handle.guess()).isEqualTo(WHOLE);
    read(WHOLE);
    assertThat(readings.isGranted()).isTrue();
    assertThat(readings.isCut()).isFalse();
    readings.taken();
    assertThat(handle.guess()).isEqualTo(SHORT);
  }

  /** Many that send nothing could otherwise have grants for a later moment. */
  @Test
  void oneConnectionOfALoopHasAGrant() {
    Readings other = new Readings(() -> true);
    readings.grant();
    other.grant();
    assertThat(readings.isGranted()).isFalse();
    readings.taken();
    assertThat(other.isGranted()).isTrue();
    other.taken();
    assertThat(other.isGranted()).isFalse();
  }
}
