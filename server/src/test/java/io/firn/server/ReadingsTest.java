package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ReadingsTest {

  private static final int SHORT = 2 << 10;
  private static final int WHOLE = 64 << 10;

  private final Readings readings = new Readings();
  private final ExtendedHandle handle = readings.newHandle();

  /** Has a long request of another connection wait until the tasks of the channel are run. */
  private static EmbeddedChannel othersWait() {
    EmbeddedChannel channel = new EmbeddedChannel();
    LaterTurns.ofLongSteps().add(channel.eventLoop(), System::nanoTime, "another", () -> {});
    return channel;
  }

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
  void readingsAreShortWhileOthersWait() {
    growToWholeReadings();
    EmbeddedChannel others = othersWait();
    assertThat(handle.guess()).isEqualTo(SHORT);
    others.runPendingTasks();
    assertThat(handle.guess()).isEqualTo(WHOLE);
  }

  @Test
  void aShortReadingThatIsFullIsCut() {
    read(SHORT);
    assertThat(readings.isFull()).isTrue();
    assertThat(readings.isCut()).isFalse();
    EmbeddedChannel others = othersWait();
    read(SHORT - 1);
    assertThat(readings.isFull()).isFalse();
    assertThat(readings.isCut()).isFalse();
    read(SHORT);
    assertThat(readings.isCut()).isTrue();
    others.runPendingTasks();
  }

  @Test
  void oneReadingIsGrantedAtATime() {
    EmbeddedChannel others = othersWait();
    readings.grant();
    readings.grant();
    assertThat(handle.guess()).isEqualTo(WHOLE);
    read(WHOLE);
    assertThat(readings.isCut()).isFalse();
    readings.ended();
    assertThat(handle.guess()).isEqualTo(SHORT);
    others.runPendingTasks();
  }

  @Test
  void theOldestOfTooManyGrantsEnds() {
    List<Readings> all = new ArrayList<>();
    for (int i = 0; i < 33; i++) {
      all.add(new Readings());
      all.get(i).grant();
    }
    assertThat(all.stream().filter(Readings::isGranted))
        .containsExactlyElementsOf(all.subList(1, 33));
    all.forEach(Readings::ended);
    readings.grant();
    assertThat(readings.isGranted()).isTrue();
    readings.ended();
  }
}
