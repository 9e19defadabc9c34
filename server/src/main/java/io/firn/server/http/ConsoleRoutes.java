package io.firn.server.http;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.HashMap;
import java.util.Map;

/**
 * The console: a page at {@code /} and its files, without access control. What it shows it asks of
 * the other routes, as any client.
 */
final class ConsoleRoutes {

  private static final String PAGE = "index.html";
  private static final String SCRIPT = "text/javascript; charset=utf-8";
  private static final String STYLE = "text/css; charset=utf-8";

  /** The files beside the page, each with its type: nothing else can be asked for. */
  private static final Map<String, String> TYPES =
      Map.ofEntries(
          Map.entry("api.js", SCRIPT),
          Map.entry("bits.js", SCRIPT),
          Map.entry("charts.js", SCRIPT),
          Map.entry("console.css", STYLE),
          Map.entry("console.js", SCRIPT),
          Map.entry("decode.js", SCRIPT),
          Map.entry("dom.js", SCRIPT),
          Map.entry("fleet.js", SCRIPT),
          Map.entry("icon.svg", "image/svg+xml"),
          Map.entry("namespace.js", SCRIPT),
          Map.entry("uplot.css", STYLE),
          Map.entry("uplot.js", SCRIPT),
          Map.entry("warnings.js", SCRIPT));

  /**
   * Scripts, styles and data of this server only, and no markup out of a script: what a store or a
   * client can put into a name stays text.
   */
  private static final String POLICY =
      String.join(
          "; ",
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "img-src 'self'",
          "connect-src 'self'",
          "base-uri 'none'",
          "form-action 'none'",
          "frame-ancestors 'none'",
          "require-trusted-types-for 'script'",
          "trusted-types 'none'");

  /** No-cache lets a browser keep a file, and has it ask each time whether it is still the same. */
  private static final Map<CharSequence, String> HEADERS =
      Map.of(
          HttpHeaderNames.CACHE_CONTROL,
          "no-cache",
          HttpHeaderNames.CONTENT_SECURITY_POLICY,
          POLICY,
          "x-content-type-options",
          "nosniff",
          "referrer-policy",
          "no-referrer",
          "cross-origin-opener-policy",
          "same-origin",
          "cross-origin-resource-policy",
          "same-origin");

  private ConsoleRoutes() {}

  static void addTo(Router router) {
    router.addUnmeasured(
        "/", exchange -> answer(exchange, PAGE, "text/html; charset=utf-8"), "text/html");
    router.addUnmeasured(
        "/console/{file}", ConsoleRoutes::file, "text/javascript", "text/css", "image/svg+xml");
  }

  private static void file(HttpExchange exchange) {
    String type = TYPES.get(exchange.path("file"));
    if (type == null) {
      exchange.refuse(404, "file: " + exchange.path("file") + " (expected: one of the console)");
    } else {
      answer(exchange, exchange.path("file"), type);
    }
  }

  private static void answer(HttpExchange exchange, String name, String type) {
    ResourceFile file = ResourceFile.of("console/" + name);
    Map<CharSequence, String> headers = new HashMap<>(HEADERS);
    headers.put(HttpHeaderNames.CONTENT_TYPE, type);
    headers.put(HttpHeaderNames.ETAG, file.tag());
    if (file.isAmong(exchange.header(HttpHeaderNames.IF_NONE_MATCH))) {
      exchange.reply(HttpResponseStatus.NOT_MODIFIED, headers, Unpooled.EMPTY_BUFFER);
    } else {
      exchange.reply(HttpResponseStatus.OK, headers, file.content());
    }
  }
}
