package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the console, as a browser gets them. */
final class ConsoleFilesTest {

  private static final Pattern NAMED = Pattern.compile("(?:href|src)=\"(/[^\"]*)\"");
  private static final Pattern IMPORTED = Pattern.compile("from '\\./([a-z]+\\.js)'");

  private static HttpServing serving;

  @BeforeAll
  static void start() {
    serving = HttpServing.start("{}");
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/, text/html; charset=utf-8",
    "/console/console.css, text/css; charset=utf-8",
    "/console/console.js, text/javascript; charset=utf-8",
    "/console/icon.svg, image/svg+xml",
    "/console/uplot.js, text/javascript; charset=utf-8",
  })
  void eachHasItsTypeAndMayTakeNothingFromElsewhere(String path, String type) throws Exception {
    HttpResponse<String> answer = serving.get(path);
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().allValues("content-type")).containsExactly(type);
    assertThat(answer.headers().allValues("x-content-type-options")).containsExactly("nosniff");
    assertThat(answer.headers().firstValue("content-security-policy").orElseThrow())
        .contains("default-src 'none'", "script-src 'self'", "require-trusted-types-for 'script'")
        .contains("base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'")
        .doesNotContain("unsafe", "http", "*");
  }

  @Test
  void everyFileThatIsNamedIsThere() throws Exception {
    List<String> paths = matches(NAMED, serving.get("/").body());
    assertThat(paths).contains("/console/console.js", "/console/uplot.js", "/openapi.json");
    for (String path : paths) {
      HttpResponse<String> answer = serving.get(path);
      assertThat(answer.statusCode()).as(path).isEqualTo(200);
      for (String imported : matches(IMPORTED, answer.body())) {
        assertThat(serving.get("/console/" + imported).statusCode()).as(imported).isEqualTo(200);
      }
    }
  }

  private static List<String> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().map(match -> match.group(1)).toList();
  }

  @Test
  void cachedFileIsNotSentAgain() throws Exception {
    HttpResponse<String> first = serving.get("/console/console.js");
    assertThat(first.headers().allValues("cache-control")).containsExactly("no-cache");
    String tag = first.headers().firstValue("etag").orElseThrow();
    for (String kept : List.of(tag, "W/" + tag, "\"other\", " + tag, "*")) {
      HttpResponse<String> again = serving.get("/console/console.js", "If-None-Match", kept);
      assertThat(again.statusCode()).as(kept).isEqualTo(304);
      assertThat(again.body()).isEmpty();
      assertThat(again.headers().firstValue("content-length")).isEmpty(); // it is not that of 200
      assertThat(again.headers().allValues("etag")).containsExactly(tag);
    }
    HttpResponse<String> other = serving.get("/console/console.js", "If-None-Match", "\"other\"");
    assertThat(other.statusCode()).isEqualTo(200);
    assertThat(other.body()).isEqualTo(first.body());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/console/",
        "/console/none.js",
        "/console/index.html",
        "/console/uplot.LICENSE",
        "/console/..%2Fopenapi.json",
        "/console/%2e%2e%2fopenapi.json",
        "/console/Console.js",
        "/index.html",
      })
  void nothingElseCanBeAskedFor(String path) throws Exception {
    assertThat(serving.get(path).statusCode()).isEqualTo(404);
  }
}
