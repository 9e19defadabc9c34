package io.firn.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationTextTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"0ms", "1ms", "999ms", "1001ms", "1s", "90s", "1m", "1h", "25h", "999999999h"})
  void writesWhatItReads(String text) {
    assertThat(DurationText.parse(text).map(DurationText::write)).contains(text);
  }

  @ParameterizedTest
  @CsvSource({"0h, 0ms", "1000ms, 1s", "120s, 2m", "3600000ms, 1h"})
  void writesTheLargestWholeUnit(String text, String written) {
    assertThat(DurationText.parse(text).map(DurationText::write)).contains(written);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0.000000001S", "PT-1S", "PT1000000000H", "PT2562047788015215H30M7.5S"})
  void durationThatNoTextWritesHasItsIsoForm(String iso) {
    assertThat(DurationText.write(Duration.parse(iso))).isEqualTo(iso);
  }
}
