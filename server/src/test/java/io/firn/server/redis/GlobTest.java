package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    assertThat(Glob.matches(pattern, text)).isEqualTo(matches);
  }

  @Test
  void takesNoTimeThatGrowsWithThePowerOfItsStars() {
    String pattern = "*a".repeat(30_000) + "b";
    Assertions.assertTimeoutPreemptively(
        Duration.ofSeconds(60), () -> Glob.matches(pattern, "a".repeat(64)));
  }
}
