package io.firn.server.http;

import io.firn.json.Json;
import io.firn.server.ErrorText;
import io.firn.server.RequestException;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Arrays;
import java.util.Locale;

/** Errors as RFC 9457 has them. */
final class Problem {

  static final String TYPE = "application/problem+json";

  private Problem() {}

  /** Returns a problem that only its status explains. */
  static String json(int status, String detail) {
    return json(status, code(status), detail);
  }

  private static String code(int status) {
    return switch (status) {
      case 405 -> "method_not_allowed";
      case 406 -> "not_acceptable";
      case 413 -> "body_too_large";
      case 414 -> "uri_too_long";
      case 417 -> "expectation_failed";
      case 431 -> "headers_too_large";
      default -> kind(status).name().toLowerCase(Locale.ROOT);
    };
  }

  /** Returns a problem with its reason for programs. */
  static String json(int status, String code, String detail) {
    return Json.object(
        object ->
            object
                .text("type", "about:blank")
                .text("title", HttpResponseStatus.valueOf(status).reasonPhrase())
                .number("status", status)
                .text("code", code)
                .text("detail", ErrorText.shorten(detail)));
  }

  /** Returns the reason that a status of 400 or more stands for. */
  static RequestException.Kind kind(int status) {
    return Arrays.stream(RequestException.Kind.values())
        .filter(kind -> status(kind) == status)
        .findFirst()
        .orElse(RequestException.Kind.BAD_REQUEST);
  }

  static int status(RequestException.Kind kind) {
    return switch (kind) {
      case BAD_REQUEST -> 400;
      case UNAUTHENTICATED -> 401;
      case FORBIDDEN -> 403;
      case NOT_FOUND -> 404;
      case CONFLICT -> 409;
      case TOO_MANY -> 429;
      case UNAVAILABLE -> 503;
    };
  }
}
