package io.firn.server.http;

import io.firn.server.Connection;
import io.firn.server.RequestHandler;
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

/** Reads the HTTP requests of one connection. */
final class HttpHandler extends RequestHandler {

  private static final int MAX_CHUNK_BYTES = 8 << 10;

  private final Service service;
  private final Router router;
  private final int mostBytes;
  private final Parser parser;
  private @Nullable HttpRequest request;
  private int bodyBytes;
  private boolean inRequest;

  HttpHandler(Service service, Router router, Connection connection) {
    super(connection, service.config().limits());
    this.service = service;
    this.router = router;
    mostBytes = service.config().limits().requestBytes();
    parser = new Parser(mostBytes);
  }

  /** Netty's decoder, one part of a request at a time. */
  private static final class Parser extends HttpRequestDecoder {

    private final List<Object> parts = new ArrayList<>(2);

    Parser(int mostBytes) {
      super(
          new HttpDecoderConfig()
              .setMaxInitialLineLength(mostBytes)
              .setMaxHeaderSize(mostBytes)
              .setHeadersFactory(RequestHeaders.FACTORY)
              .setTrailersFactory(RequestHeaders.FACTORY)
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

  /** Goes on until a request is complete, or the parser needs more bytes. */
  @Override
  protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) throws Exception {
    while (in.isReadable()) {
      int before = in.readableBytes();
      List<Object> parts = parser.next(ctx, in);
      boolean complete = false;
      try {
        for (Object part : parts) {
          complete |= take(ctx, (HttpObject) part);
        }
      } finally {
        parts.forEach(ReferenceCountUtil::release);
      }
      inRequest = !complete;
      if (complete) {
        return 1;
      }
      if (parts.isEmpty() && in.readableBytes() == before) {
        return 0;
      }
    }
    return 0;
  }

  @Override
  protected boolean hasPart() {
    return inRequest;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) throws Exception {
    parser.end(ctx);
  }

  /** Returns whether the part completes a request. */
  private boolean take(ChannelHandlerContext ctx, HttpObject part) {
    if (part.decoderResult().isFailure()) {
      request = null;
      refuseUnreadable(ctx, part.decoderResult().cause());
      return true;
    }
    if (part instanceof HttpRequest begun) {
      request = begun;
      bodyBytes = 0;
    }
    return part instanceof HttpContent content
        && request != null
        && takeContent(ctx, request, content);
  }

  private boolean takeContent(ChannelHandlerContext ctx, HttpRequest begun, HttpContent content) {
    bodyBytes += content.content().readableBytes();
    if (bodyBytes > mostBytes) {
      request = null;
      refuse(ctx, 413, "body: over " + mostBytes + " bytes (expected: at most " + mostBytes + ")");
      return true;
    }
    if (content instanceof LastHttpContent) {
      request = null;
      exchange(ctx, begun, match(begun)).answer();
      return true;
    }
    return false;
  }

  private Router.Match match(HttpRequest complete) {
    if (complete.protocolVersion().equals(HttpVersion.HTTP_1_1)
        && complete.headers().getAll(HttpHeaderNames.HOST).size() != 1) {
      return Router.Match.refused(
          exchange -> exchange.refuse(400, "host: none, or several (expected: one)"));
    }
    return router.match(complete);
  }

  private HttpExchange exchange(
      ChannelHandlerContext ctx, HttpRequest complete, Router.Match match) {
    begin(ctx);
    return new HttpExchange(
        service, ctx, complete, match, this::authenticated, response -> send(ctx, response));
  }

  private void send(ChannelHandlerContext ctx, FullHttpResponse response) {
    HttpHeaders headers = response.headers();
    boolean last =
        isStopping() || headers.contains(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE, true);
    if (last) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    ctx.write(response, ctx.voidPromise());
    int refusals = response.status().code() < HttpResponseStatus.BAD_REQUEST.code() ? 0 : 1;
    answered(ctx, 1, refusals, last);
  }

  private void refuseUnreadable(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      String limit = "over " + mostBytes + " bytes (expected: at most " + mostBytes + ")";
      refuse(ctx, 414, "request line: " + limit);
    } else if (cause instanceof TooLongHttpHeaderException) {
      refuse(
          ctx,
          431,
          "headers: too large (expected: at most "
              + RequestHeaders.MAX
              + " headers in "
              + mostBytes
              + " bytes)");
    } else {
      refuse(ctx, 400, "request: not understood (expected: HTTP/1.1)");
    }
  }

  /** Answers a request that is not read to its end, so that nothing can follow. */
  private void refuse(ChannelHandlerContext ctx, int status, String detail) {
    HttpRequest unread = new DefaultHttpRequest(HttpVersion.HTTP_1_0, HttpMethod.GET, "/");
    Router.Match refusal = Router.Match.refused(exchange -> exchange.refuse(status, detail));
    exchange(ctx, unread, refusal).answer();
  }
}
