package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of GET and POST of {@code /v1/watermark/NAMESPACE}. */
@Timeout(120)
final class HttpWatermarkTest {

  @TempDir Path directory;

  @Test
  void watermarkIsBelowTheIdsOfAnOpenScopeOfAnotherProcess() throws Exception {
    Files.writeString(directory.resolve("reader"), "the-secret-of-reader");
    Files.writeString(directory.resolve("ordinary"), "the-secret-of-ordinary");
    Files.writeString(directory.resolve("writer"), "the-secret-of-writer");
    Files.writeString(directory.resolve("other"), "the-secret-of-other");
    try (HttpServing serving =
            HttpServing.start(
                """
                store: "file:%1$s/store"
                namespaces: {default: }
                tokens:
                  reader: {file: %1$s/reader, scopes: [read]}
                  writer: {file: %1$s/writer, scopes: [reserve]}
                  ordinary: {file: %1$s/ordinary}
                  other: {file: %1$s/other, scopes: [read], namespaces: [default]}
                """
                    .formatted(directory));
        RegisterStore store = FileRegisterStore.open(directory.resolve("store"));
        Snowflake outbox = Snowflake.builder().lease(store, "outbox").build();
        IdScope scope = outbox.scope()) {
      long id = scope.nextId();

      HttpResponse<String> early = get(serving, "outbox", "reader");
      assertThat(early.statusCode()).isEqualTo(404);
      assertThat(early.body())
          .contains("namespace: outbox (expected: one with a watermark; POST begins one)");
      assertThat(store.scan("")).noneMatch(register -> register.name().contains("watermark"));
      for (String token : List.of("reader", "ordinary")) {
        assertThat(post(serving, "outbox", token).body())
            .contains("token: " + token + " (expected: a token with the scope reserve among its");
      }
      assertThat(store.scan("")).noneMatch(register -> register.name().contains("watermark"));

      HttpResponse<String> answer = post(serving, "outbox", "writer");

      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      assertThat(answer.body())
          .startsWith("{\"namespace\":\"outbox\",\"id\":\"")
          .contains("\"held_back_by\":[{\"worker\":");
      assertThat(Long.parseLong(answer.body().replaceAll("(?s).*\"id\":\"(-?[0-9]+)\".*", "$1")))
          .isLessThan(id);
      assertThat(get(serving, "outbox", "reader").body())
          .startsWith(answer.body().substring(0, answer.body().indexOf(",\"before\"")))
          .contains("\"held_back_by\":[]");
      assertThat(post(serving, "nothing", "writer").statusCode()).isEqualTo(404);
      assertThat(get(serving, "nothing", "reader").statusCode()).isEqualTo(404);
      assertThat(get(serving, "nothing", "reader").body())
          .contains("namespace: nothing (expected: a namespace that a generator has used in file:");
      assertThat(get(serving, "no%20name", "reader").statusCode()).isEqualTo(400);
      assertThat(get(serving, "outbox", "other").statusCode()).isEqualTo(403);
    }
  }

  private static HttpResponse<String> post(HttpServing serving, String namespace, String token)
      throws Exception {
    return serving.post(
        "/v1/watermark/" + namespace, "", "Authorization", "Bearer the-secret-of-" + token);
  }

  private static HttpResponse<String> get(HttpServing serving, String namespace, String token)
      throws Exception {
    return serving.get(
        "/v1/watermark/" + namespace, "Authorization", "Bearer the-secret-of-" + token);
  }
}
