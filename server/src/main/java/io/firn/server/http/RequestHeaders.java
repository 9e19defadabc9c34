package io.firn.server.http;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.TooLongHttpHeaderException;

/**
 * The headers of a request. Their number is limited, because a short header takes many times its
 * length in memory.
 */
final class RequestHeaders extends DefaultHttpHeaders {

  static final int MAX = 100;

  static final HttpHeadersFactory FACTORY =
      new HttpHeadersFactory() {
        @Override
        public HttpHeaders newHeaders() {
          return new RequestHeaders();
        }

        @Override
        public HttpHeaders newEmptyHeaders() {
          return new RequestHeaders();
        }
      };

  private RequestHeaders() {}

  @Override
  public HttpHeaders add(CharSequence name, Object value) {
    if (size() == MAX) {
      throw new TooLongHttpHeaderException("over " + MAX + " headers");
    }
    return super.add(name, value);
  }
}
