package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class UserAgentTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "curl | curl/7.88.1",
        "okhttp | okhttp/5.5.0",
        "Apache-HttpClient | Apache-HttpClient/5.6 (Java/17)",
        "'' | ''",
        "'' | (none)",
        "Firefox | Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
        "Chrome | Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0"
            + " Safari/537.36",
        "HeadlessChrome | Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko)"
            + " HeadlessChrome/140.0.0.0 Safari/537.36",
        "Edg | Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko)"
            + " Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
        "Safari | Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko)"
            + " Version/18.0 Safari/605.1.15",
        "browser | Mozilla/5.0 (compatible; somebot/2.1)",
      })
  void aBrowserHasItsOwnName(String name, String userAgent) {
    assertThat(UserAgent.product(userAgent)).isEqualTo(name);
  }
}
