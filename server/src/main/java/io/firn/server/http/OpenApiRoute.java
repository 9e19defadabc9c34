package io.firn.server.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** {@code /openapi.json}: what this server answers, for programs; for all to ask. */
final class OpenApiRoute {

  private OpenApiRoute() {}

  static void addTo(Router router) {
    router.add("/openapi.json", exchange -> exchange.reply(Document.TEXT), MediaType.JSON);
  }

  /** Read when it is first asked for. */
  private static final class Document {

    static final String TEXT = read();

    private static String read() {
      try (InputStream file = OpenApiRoute.class.getResourceAsStream("openapi.json")) {
        return new String(Objects.requireNonNull(file).readAllBytes(), StandardCharsets.UTF_8);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
