package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the chosen media type. */
final class AcceptTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*/*|text/plain",
        "text/*|text/plain",
        "application/json|application/json",
        "Application/JSON; charset=utf-8|application/json",
        "application/*|application/json",
        "text/html, application/json;q=0.9, */*;q=0.1|application/json",
        "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8|text/plain",
        "text/plain;q=0.2, application/json;q=0.201|application/json",
        "text/plain;q=0, */*|application/json",
        "application/json, text/plain, */*|application/json",
        "text/plain, application/json|text/plain",
        "*/*, application/json|text/plain",
        "application/*, text/*|application/json",
        "application/json;q=nonsense, text/plain;q=0.5|application/json",
      })
  void theMostPreferredTypeIsChosen(String accept, String chosen) {
    assertThat(Accept.best(accept, List.of("text/plain", "application/json"))).contains(chosen);
  }

  @Test
  void readsTheBeginningOfALongHeader() {
    String ranges = "text/html;a,".repeat(10_000);
    assertThat(Accept.best("text/plain," + ranges, List.of("text/plain"))).contains("text/plain");
    assertThat(Accept.best(ranges + "text/plain", List.of("text/plain"))).isEmpty();
  }

  @Test
  void typeThatIsNotAcceptedIsNotChosen() {
    assertThat(Accept.best("text/html", List.of("text/plain"))).isEmpty();
    assertThat(Accept.best("*/*;q=0", List.of("text/plain"))).isEmpty();
    assertThat(Accept.best("", List.of("text/plain"))).isEmpty();
  }
}
