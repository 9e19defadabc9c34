package io.firn.server.http;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The target of a request in absolute form, {@code GET http://host/path} (RFC 9112, 3.2.2). */
final class RequestTarget {

  /** Its host consists of visible ASCII characters, as in a header. */
  private static final Pattern ABSOLUTE =
      Pattern.compile("https?://([\\x21-\\x7e&&[^/?#@]]+)([/?][^#]*)?", Pattern.CASE_INSENSITIVE);

  private RequestTarget() {}

  /**
   * Turns a target in absolute form into a path, and replaces the header with its host.
   *
   * @return false if the target is neither a path nor such a form
   */
  static boolean resolve(HttpRequest request) {
    String target = request.uri();
    if (target.startsWith("/")) {
      return true;
    }
    Matcher absolute = ABSOLUTE.matcher(target);
    if (!absolute.matches()) {
      return false;
    }
    String path = absolute.group(2) == null ? "/" : absolute.group(2);
    request.headers().set(HttpHeaderNames.HOST, absolute.group(1));
    request.setUri(path.startsWith("/") ? path : "/" + path);
    return true;
  }
}
