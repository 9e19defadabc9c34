package io.firn.server.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.TooLongHttpHeaderException;

/**
 * The headers of a request. Their number is limited, because a short header takes many times its
 * length in memory. A second length of the body is refused.
 */
final class RequestHeaders extends DefaultHttpHeaders {

  static final int MAX = 100;

  /** The bytes that a header takes in the heap beside its characters, or a little more. */
  static final int BYTES_OF_EACH = 160;

  static final HttpHeadersFactory FACTORY = factory(true);

  /** Makes those that may follow a body in chunks. They are counted, and not kept. */
  static final HttpHeadersFactory UNUSED = factory(false);

  private final boolean kept;
  private int added;

  private RequestHeaders(boolean kept) {
    this.kept = kept;
  }

  private static HttpHeadersFactory factory(boolean kept) {
    return new HttpHeadersFactory() {
      @Override
      public HttpHeaders newHeaders() {
        return new RequestHeaders(kept);
      }

      @Override
      public HttpHeaders newEmptyHeaders() {
        return new RequestHeaders(kept);
      }
    };
  }

  @Override
  public HttpHeaders add(CharSequence name, Object value) {
    if (added++ == MAX) {
      throw new TooLongHttpHeaderException("over " + MAX + " headers");
    }
    if (HttpHeaderNames.CONTENT_LENGTH.contentEqualsIgnoreCase(name) && contains(name)) {
      throw new IllegalArgumentException("two lengths"); // Netty takes one of them in HTTP/1.0
    }
    return kept ? super.add(name, value) : this;
  }
}
