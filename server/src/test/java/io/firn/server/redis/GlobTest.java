package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GlobTest {

  @ParameterizedTest
  @CsvSource({
    "*, a, true",
    "*, '', true",
    "'', '', true",
    "'', a, false",
    "a*, abc, true",
    "*c, abc, true",
    "a*c*e, abcde, true",
    "a*c*f, abcde, false",
    "a?c, abc, true",
    "a?, a, false",
    "?, '', false",
    "a\\*, a*, true",
    "a\\*, ab, false",
    "\\?, ?, true",
    "\\?, a, false",
    "**a**, bab, true",
    "abc, abcd, false",
    "abcd, abc, false"
  })
  void matches(String pattern, String text, boolean matches) {
    assertThat(Glob.of(pattern).matches(text)).isEqualTo(matches);
  }

  @Test
  void takesNoTimeThatGrowsWithThePowerOfItsStars() {
    String pattern = "*a".repeat(30_000) + "b";
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(60), () -> Glob.of(pattern).matches("a".repeat(64)));
  }

  /** A command is 64 KB at most; a server has some hundred names. */
  @ParameterizedTest
  @ValueSource(strings = {"*", "**\\*", "*?"})
  void matchesManyNamesWithARepeatedPatternInNoTime(String repeated) {
    String longest = repeated.repeat(60_000 / repeated.length());
    Glob pattern = Glob.of(longest);
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(5),
        () -> {
          for (int i = 0; i < 200_000; i++) {
            pattern.matches("orders" + i);
          }
        });
  }
}
