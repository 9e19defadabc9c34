package io.firn.server.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValidationUtil;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The headers of a request that the server reads. The others are checked and counted, and not kept:
 * a short header takes many times its length in memory. The number of both is limited. A second
 * length of the body is refused.
 */
final class RequestHeaders extends DefaultHttpHeaders {

  /** The most headers that a request may have. */
  static final int MAX = 100;

  /** The most headers that it may have of those that are kept: each of the names twice. */
  static final int MAX_KEPT = 24;

  /** The bytes that a header takes in the heap beside its characters, or a little more. */
  static final int BYTES_OF_EACH = 160;

  static final HttpHeadersFactory FACTORY = factory(true);

  /** Makes those that may follow a body in chunks. None of them is read. */
  static final HttpHeadersFactory UNUSED = factory(false);

  /** The names of those that are kept, which Netty compares without regard to case. */
  private static final HttpHeaders READ = new DefaultHttpHeaders();

  static {
    List.of(
            HttpHeaderNames.ACCEPT,
            HttpHeaderNames.AUTHORIZATION,
            HttpHeaderNames.CONNECTION,
            HttpHeaderNames.CONTENT_LENGTH,
            HttpHeaderNames.EXPECT,
            HttpHeaderNames.HOST,
            HttpHeaderNames.IF_NONE_MATCH,
            HttpHeaderNames.ORIGIN,
            HttpHeaderNames.SEC_WEBSOCKET_KEY1,
            HttpHeaderNames.TRANSFER_ENCODING,
            HttpHeaderNames.USER_AGENT,
            Origin.SITE)
        .forEach(name -> READ.add(name, ""));
  }

  private final boolean read;
  private int added;

  private RequestHeaders(boolean read) {
    this.read = read;
  }

  private static HttpHeadersFactory factory(boolean read) {
    return new HttpHeadersFactory() {
      @Override
      public HttpHeaders newHeaders() {
        return new RequestHeaders(read);
      }

      @Override
      public HttpHeaders newEmptyHeaders() {
        return new RequestHeaders(read);
      }
    };
  }

  @Override
  public HttpHeaders add(CharSequence name, Object value) {
    requireAtMost(MAX, ++added);
    if (!read) {
      return this;
    }
    if (!READ.contains(name)) {
      requireValid(name, (CharSequence) value);
      return this;
    }
    requireAtMost(MAX_KEPT, size() + 1);
    if (HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name) && contains(name)) {
      throw new IllegalArgumentException("two lengths"); // Netty takes one of them in HTTP/1.0
    }
    return super.add(name, value);
  }

  /** Returns the values of all headers of a name as one list; empty if there is none. */
  static String list(HttpHeaders headers, CharSequence name) {
    return headers.contains(name)
        ? headers.getAll(name).stream()
            .filter(value -> !value.isBlank())
            .collect(Collectors.joining(", "))
        : "";
  }

  private static void requireAtMost(int most, int count) {
    if (count > most) {
      throw new TooLongHttpHeaderException("over " + most + " headers");
    }
  }

  /** Checks what Netty checks when it keeps a header. */
  private static void requireValid(CharSequence name, CharSequence value) {
    if (name.isEmpty()
        || HttpHeaderValidationUtil.validateToken(name) >= 0
        || HttpHeaderValidationUtil.validateValidHeaderValue(value) >= 0) {
      throw new IllegalArgumentException("a header with a character that none may have");
    }
  }
}
