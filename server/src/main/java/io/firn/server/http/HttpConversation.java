package io.firn.server.http;

import io.firn.server.Connection;
import io.firn.server.Conversation;
import io.firn.server.Service;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The HTTP requests of one connection. */
final class HttpConversation extends Conversation {

  private static final int MAX_CHUNK_BYTES = 8 << 10;

  private final Service service;
  private final Router router;
  private final int mostBytes;
  private final Parser parser;
  private @Nullable HttpRequest request;
  private int bodyBytes;

  HttpConversation(Service service, Router router, Connection connection) {
    super(connection);
    this.service = service;
    this.router = router;
    mostBytes = service.config().limits().requestBytes();
    parser = new Parser(mostBytes);
  }

  /** Netty's decoder, which is asked for one part of a request after the other. */
  private static final class Parser extends HttpRequestDecoder {

    private final List<Object> parts = new ArrayList<>(2);

    Parser(int mostBytes) {
      super(
          new HttpDecoderConfig()
              .setMaxInitialLineLength(mostBytes)
              .setMaxHeaderSize(mostBytes)
              .setMaxChunkSize(MAX_CHUNK_BYTES));
    }

    List<Object> next(ChannelHandlerContext ctx, ByteBuf in) throws Exception {
      parts.clear();
      decode(ctx, in, parts);
      return parts;
    }

    void end(ChannelHandlerContext ctx) throws Exception {
      handlerRemoved0(ctx);
    }
  }

  @Override
  protected void take(ChannelHandlerContext ctx, ByteBuf in) throws Exception {
    List<Object> parts = parser.next(ctx, in);
    try {
      parts.forEach(part -> take(ctx, (HttpObject) part));
    } finally {
      parts.forEach(ReferenceCountUtil::release);
    }
    if (parts.isEmpty() || request != null) {
      awaitMore(ctx);
    }
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext ctx) throws Exception {
    parser.end(ctx);
  }

  private void take(ChannelHandlerContext ctx, HttpObject part) {
    if (part.decoderResult().isFailure()) {
      request = null;
      refuseUnreadable(ctx, part.decoderResult().cause());
      return;
    }
    if (part instanceof HttpRequest begun) {
      request = begun;
      bodyBytes = 0;
    }
    if (part instanceof HttpContent content && request != null) {
      takeContent(ctx, request, content);
    }
  }

  private void takeContent(ChannelHandlerContext ctx, HttpRequest begun, HttpContent content) {
    bodyBytes += content.content().readableBytes();
    if (bodyBytes > mostBytes) {
      request = null;
      refuse(ctx, 413, "body: over " + mostBytes + " bytes (expected: at most so many)");
    } else if (content instanceof LastHttpContent) {
      request = null;
      HttpExchange exchange = exchange(ctx, begun);
      exchange.answer(() -> route(begun, exchange));
    }
  }

  private HttpExchange exchange(ChannelHandlerContext ctx, HttpRequest complete) {
    begin(ctx);
    return new HttpExchange(service, ctx, complete, response -> send(ctx, response));
  }

  private void route(HttpRequest complete, HttpExchange exchange) {
    if (complete.protocolVersion().equals(HttpVersion.HTTP_1_1)
        && complete.headers().getAll(HttpHeaderNames.HOST).size() != 1) {
      exchange.refuse(400, "host: none, or several (expected: one)");
      return;
    }
    String uri = complete.uri();
    int end = uri.indexOf('?');
    router.answer(complete.method(), end < 0 ? uri : uri.substring(0, end), exchange);
  }

  private void send(ChannelHandlerContext ctx, FullHttpResponse response) {
    HttpHeaders headers = response.headers();
    boolean last =
        isStopping() || headers.contains(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE, true);
    if (last) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    ctx.write(response, ctx.voidPromise());
    answered(ctx, response.status().code() < HttpResponseStatus.BAD_REQUEST.code(), last);
  }

  private void refuseUnreadable(ChannelHandlerContext ctx, Throwable cause) {
    String tooLong = "over " + mostBytes + " bytes (expected: at most so many)";
    if (cause instanceof TooLongHttpLineException) {
      refuse(ctx, 414, "request line: " + tooLong);
    } else if (cause instanceof TooLongHttpHeaderException) {
      refuse(ctx, 431, "headers: " + tooLong);
    } else {
      refuse(ctx, 400, "request: not understood (expected: HTTP/1.1)");
    }
  }

  /** Answers a request that is not read to its end, so that nothing can follow. */
  private void refuse(ChannelHandlerContext ctx, int status, String detail) {
    HttpRequest unread = new DefaultHttpRequest(HttpVersion.HTTP_1_0, HttpMethod.GET, "/");
    exchange(ctx, unread).refuse(status, detail);
  }
}
