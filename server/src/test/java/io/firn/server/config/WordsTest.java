package io.firn.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class WordsTest {

  private static final List<String> VALID = List.of("layout", "window", "max-lead", "on");

  @Test
  void findsTheNearestWord() {
    assertThat(Words.nearest("layot", VALID)).contains("layout");
    assertThat(Words.nearest("laoyut", VALID)).contains("layout");
    assertThat(Words.nearest("maxlead", VALID)).contains("max-lead");
    assertThat(Words.nearest("no", VALID)).isEmpty();
    assertThat(Words.nearest("onn", VALID)).contains("on");
  }

  @Test
  void findsTheWordThatWasCutShort() {
    List<String> valid = List.of("store", "token-file", "token-file-of-another");
    assertThat(Words.nearest("token", valid)).contains("token-file");
  }

  @Test
  void findsNoneThatIsAnotherWord() {
    assertThat(Words.nearest("sequence", VALID)).isEmpty();
    assertThat(Words.nearest("lay", VALID)).contains("layout");
    assertThat(Words.nearest("la", VALID)).isEmpty();
    assertThat(Words.nearest("", VALID)).isEmpty();
  }

  @Test
  void namesAllWordsWhereNoneIsNear() {
    assertThat(Words.expected("sequence", VALID)).isEqualTo("layout, window, max-lead, on");
  }
}
