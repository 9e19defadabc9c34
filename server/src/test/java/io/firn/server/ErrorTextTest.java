package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests of the length of errors. */
final class ErrorTextTest {

  @Test
  void aLongMessageKeepsBothOfItsEnds() {
    String longest = "count: " + "9".repeat(775) + " (expected: 1..10000)";
    assertThat(longest).hasSize(803);
    assertThat(ErrorText.shorten(longest)).isEqualTo(longest);
    assertThat(ErrorText.shorten("count: " + "9".repeat(60_000) + " (expected: 1..10000)"))
        .isEqualTo("count: " + "9".repeat(393) + " … " + "9".repeat(379) + " (expected: 1..10000)");
    assertThat(ErrorText.shorten("x" + longest)).hasSize(803).startsWith("xcount: 9");
  }
}
