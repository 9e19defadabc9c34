package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the memory for requests that wait, in a heap of 128 MB. */
final class BacklogTest {

  private final Backlog backlog = new Backlog((128L << 20) / 16 / Long.BYTES);

  /** As many as there can be connections. */
  @ParameterizedTest
  @CsvSource({"1, true", "16, true", "17, false"})
  void tenThousandShortRequestsFitBesideAsManyLongOnesAsFit(int count, boolean fit) {
    while (backlog.add(10_000)) {}
    while (backlog.add(17)) {}
    assertThat(IntStream.range(0, 10_000).allMatch(i -> backlog.add(count))).isEqualTo(fit);
  }

  @ParameterizedTest
  @CsvSource({"1", "10000"})
  void theRoomOfARequestThatHasItsIdsIsFree(int count) {
    while (backlog.add(count)) {}
    backlog.remove(count);
    assertThat(backlog.add(count)).isTrue();
    assertThat(backlog.add(count)).isFalse();
  }
}
