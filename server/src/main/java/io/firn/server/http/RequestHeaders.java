package io.firn.server.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import java.util.function.Supplier;

/**
 * The headers of a request. Their number is limited, because a short header takes many times its
 * length in memory.
 */
class RequestHeaders extends DefaultHttpHeaders {

  static final int MAX = 100;

  /** What a header takes in the heap beside its characters, or a little more. */
  static final int BYTES_OF_EACH = 160;

  static final HttpHeadersFactory FACTORY = factory(RequestHeaders::new);

  /** Makes those that may follow a body in chunks. They are counted, and not kept. */
  static final HttpHeadersFactory UNUSED = factory(Unused::new);

  private int added;

  private static HttpHeadersFactory factory(Supplier<HttpHeaders> constructor) {
    return new HttpHeadersFactory() {
      @Override
      public HttpHeaders newHeaders() {
        return constructor.get();
      }

      @Override
      public HttpHeaders newEmptyHeaders() {
        return constructor.get();
      }
    };
  }

  @Override
  public HttpHeaders add(CharSequence name, Object value) {
    if (added++ == MAX) {
      throw new TooLongHttpHeaderException("over " + MAX + " headers");
    }
    keep(name, value);
    return this;
  }

  void keep(CharSequence name, Object value) {
    super.add(name, value);
  }

  private static final class Unused extends RequestHeaders {

    @Override
    void keep(CharSequence name, Object value) {}
  }
}
