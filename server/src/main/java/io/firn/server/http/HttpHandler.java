package io.firn.server.http;

import io.firn.server.Caller;
import io.firn.server.Connection;
import io.firn.server.RequestException;
import io.firn.server.RequestHandler;
import io.firn.server.Service;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Reads the HTTP requests of one connection. */
final class HttpHandler extends RequestHandler {

  private static final int MAX_CHUNK_BYTES = 8 << 10;

  /** The longest request whose parser is kept: a parser keeps a buffer for its longest line. */
  private static final int MAX_KEPT_BYTES = 1 << 10;

  /** The number of parts of a body that may be tiny. Each costs time. */
  private static final int MAX_TINY_PARTS = 100;

  /** The least that the others have on average. */
  private static final int MIN_PART_BYTES = 64;

  /**
   * The bytes that a request takes in the heap while its body comes, beside its headers and its
   * body.
   */
  private static final int REQUEST_BYTES = 1 << 10;

  /**
   * The bytes of a usual request, which are not counted while it waits for its answer: ten thousand
   * of these have room beside what is counted.
   */
  private static final int USUAL_BYTES = 5 << 9;

  private static final byte[] NO_BODY = {};

  private final Service service;
  private final Router router;
  private final DateHeader date;
  private final Connection connection;
  private final int mostBytes;
  private final HeadScan head;
  private Parser parser;
  private int parsedBytes;
  private @Nullable HttpRequest request;
  private byte[] body = NO_BODY;
  private int bodyBytes;
  private int bodyParts;
  private int headBytes;

  /** The length of the head, or of a longer line after it: the parser keeps a buffer for a line. */
  private int lineBytes;

  /** The memory of a request that is complete and not answered. */
  private long unansweredBytes;

  private boolean inRequest;

  /** The length of the body, in bytes; 0 if none is known. */
  private long bodyLength;

  /** The length of a request whose head was taken and is read again; 0 if there is none. */
  private long wholeBytes;

  HttpHandler(Service service, Router router, DateHeader date, Connection connection) {
    super(connection, service.config().limits());
    this.service = service;
    this.router = router;
    this.date = date;
    this.connection = connection;
    mostBytes = service.config().limits().requestBytes();
    head = new HeadScan(RequestHeaders.MAX, mostBytes);
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
              .setTrailersFactory(RequestHeaders.UNUSED)
              .setMaxChunkSize(MAX_CHUNK_BYTES));
    }

    /** Leaves both headers as they are, so that the request is refused. */
    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {}

    /** Returns the next parts, which the caller releases and removes. */
    List<Object> next(ChannelHandlerContext ctx, ByteBuf in) throws Exception {
      decode(ctx, in, parts);
      return parts;
    }

    void end(ChannelHandlerContext ctx) throws Exception {
      handlerRemoved0(ctx);
    }
  }

  /** Goes on until a request is complete, or more bytes are needed. */
  @Override
  protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) throws Exception {
    while (in.isReadable()) {
      HeadScan.Result looked = look(in);
      if (looked == HeadScan.Result.INCOMPLETE) {
        return 0;
      }
      if (looked != HeadScan.Result.COMPLETE) {
        refuseHead(ctx, looked);
        return 1;
      }
      head.restart();
      int begin = in.readerIndex();
      int bodyBefore = bodyBytes;
      List<Object> parts = parser.next(ctx, in);
      int parsed = in.readerIndex() - begin;
      parsedBytes += parsed;
      boolean none = parts.isEmpty();
      boolean isHead = !inRequest;
      boolean complete = false;
      try {
        for (Object part : parts) {
          complete |= take(ctx, (HttpObject) part, in.isReadable());
        }
      } finally {
        parts.forEach(ReferenceCountUtil::release);
        parts.clear(); // a connection that waits keeps no request
      }
      inRequest = !complete;
      lineBytes = Math.max(lineBytes, parsed - (bodyBytes - bodyBefore));
      if (complete) {
        wholeBytes = 0;
        forgetLongLines(ctx);
        return 1;
      }
      if (isHead && bodyLength > in.readableBytes()) {
        wholeBytes = in.readerIndex() - begin + bodyLength;
        in.readerIndex(begin);
        forgetHead(ctx);
        return 0;
      }
      if (none && in.readerIndex() == begin) {
        return 0;
      }
    }
    return 0;
  }

  /**
   * Looks whether the parser can take what has come: a whole head, or a whole request of a known
   * length. What it keeps of a part would stay in the heap until the rest comes, and be moved at
   * each collection.
   */
  private HeadScan.Result look(ByteBuf in) {
    if (inRequest) {
      return HeadScan.Result.COMPLETE;
    }
    if (wholeBytes == 0) {
      return head.look(in);
    }
    return in.readableBytes() < wholeBytes ? HeadScan.Result.INCOMPLETE : HeadScan.Result.COMPLETE;
  }

  /**
   * Forgets the head of a request whose body has not come. It was taken to know the client and the
   * length of the body, and takes several times its length in the heap.
   */
  private void forgetHead(ChannelHandlerContext ctx) throws Exception {
    inRequest = false;
    request = null;
    parsedBytes = 0;
    renewParser(ctx);
  }

  private void forgetLongLines(ChannelHandlerContext ctx) throws Exception {
    if (parsedBytes > MAX_KEPT_BYTES) {
      renewParser(ctx);
    }
    parsedBytes = 0;
  }

  private void renewParser(ChannelHandlerContext ctx) throws Exception {
    parser.end(ctx);
    parser = new Parser(mostBytes);
  }

  @Override
  protected boolean hasPart() {
    return inRequest || wholeBytes > 0 || head.hasSkipped();
  }

  @Override
  protected long knownBytes() {
    return wholeBytes;
  }

  @Override
  protected long keptBytes() {
    HttpRequest begun = request;
    return begun == null ? unansweredBytes : bytesOf(begun) + 2L * lineBytes;
  }

  /** Returns the memory of a request whose head has come, without the parser's. */
  private long bytesOf(HttpRequest begun) {
    return REQUEST_BYTES
        + headBytes
        + body.length
        + (long) begun.headers().size() * RequestHeaders.BYTES_OF_EACH;
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) throws Exception {
    parser.end(ctx);
  }

  /**
   * Returns whether the part completes a request.
   *
   * @param isWhole whether it did not end with what has come
   */
  private boolean take(ChannelHandlerContext ctx, HttpObject part, boolean isWhole) {
    if (part.decoderResult().isFailure()) {
      request = null;
      refuseUnreadable(ctx, part.decoderResult().cause());
      return true;
    }
    if (part instanceof HttpRequest begun) {
      request = begun;
      headBytes = parsedBytes;
      lineBytes = 0;
      forgetBody();
      bodyLength = HttpUtil.getContentLength(begun, 0L);
      connection.clientName(UserAgent.product(begun.headers().get(HttpHeaderNames.USER_AGENT, "")));
      if (!takeHead(ctx, begun)) {
        request = null;
        return true;
      }
      recognize(begun);
    }
    return part instanceof HttpContent content
        && request != null
        && takeContent(ctx, request, content, isWhole);
  }

  /** Returns false if the request was refused without its body. */
  private boolean takeHead(ChannelHandlerContext ctx, HttpRequest begun) {
    if (begun.protocolVersion().majorVersion() != 1) {
      refuseOther(ctx);
      return false;
    }
    if (!hasOneEnd(begun.headers())) {
      refuse(
          ctx,
          400,
          "transfer-encoding: not understood (expected: chunked, without a content-length)");
      return false;
    }
    if (begun.headers().contains(HttpHeaderNames.SEC_WEBSOCKET_KEY1)) { // Netty takes it for a body
      refuse(ctx, 400, "sec-websocket-key1: not understood (expected: no web socket)");
      return false;
    }
    if (bodyLength > mostBytes) {
      refuseBody(ctx);
      return false;
    }
    String expectation = RequestHeaders.list(begun.headers(), HttpHeaderNames.EXPECT);
    if (expectation.isEmpty()
        || begun.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0
        || wholeBytes > 0) { // it was answered
      return true;
    }
    if (!HttpHeaderValues.CONTINUE.contentEqualsIgnoreCase(expectation)) {
      refuse(ctx, 417, "expect: " + expectation + " (expected: 100-continue)");
      return false;
    }
    ctx.write(
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER),
        ctx.voidPromise());
    return true;
  }

  /** Recognizes the client before its body has come, because strangers are disconnected first. */
  private void recognize(HttpRequest begun) {
    if (bodyLength > 0 || HttpUtil.isTransferEncodingChunked(begun)) {
      HttpExchange.token(begun.headers())
          .flatMap(service.callers()::find)
          .ifPresent(this::authenticateEarly);
    }
  }

  private void authenticateEarly(Caller caller) {
    try {
      authenticated(caller);
    } catch (RequestException e) {
      // refused once the request is complete
    }
  }

  /** Returns whether everyone who reads the request agrees where its body ends. */
  private static boolean hasOneEnd(HttpHeaders headers) {
    List<String> encodings = headers.getAll(HttpHeaderNames.TRANSFER_ENCODING);
    return encodings.isEmpty()
        || (encodings.size() == 1
            && HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(encodings.get(0))
            && !headers.contains(HttpHeaderNames.CONTENT_LENGTH));
  }

  private void refuseBody(ChannelHandlerContext ctx) {
    refuse(ctx, 413, "body: over " + mostBytes + " bytes (expected: at most " + mostBytes + ")");
  }

  private boolean takeContent(
      ChannelHandlerContext ctx, HttpRequest begun, HttpContent content, boolean isWhole) {
    if (!append(content.content())) {
      request = null;
      forgetBody();
      refuseBody(ctx);
      return true;
    }
    bodyParts += isWhole ? 1 : 0; // a long chunk may come in many parts
    if (bodyBytes < (bodyParts - MAX_TINY_PARTS) * MIN_PART_BYTES) {
      request = null;
      refuse(
          ctx,
          413,
          "body: "
              + bodyParts
              + " chunks for "
              + bodyBytes
              + " bytes (expected: chunks of at least "
              + MIN_PART_BYTES
              + " bytes)");
      return true;
    }
    if (content instanceof LastHttpContent) {
      request = null;
      unansweredBytes = Math.max(0, bytesOf(begun) - USUAL_BYTES);
      exchange(ctx, begun, match(begun)).answer();
      return true;
    }
    return false;
  }

  /** Returns false if the body is too long. */
  private boolean append(ByteBuf part) {
    int length = bodyBytes + part.readableBytes();
    if (length > mostBytes) {
      return false;
    }
    if (length > body.length) { // twice the room, or many small chunks would cost as many copies
      body = Arrays.copyOf(body, Math.max(length, 2 * body.length));
    }
    part.getBytes(part.readerIndex(), body, bodyBytes, length - bodyBytes);
    bodyBytes = length;
    return true;
  }

  private void forgetBody() {
    body = NO_BODY;
    bodyBytes = 0;
    bodyParts = 0;
  }

  private byte[] takeBody() {
    byte[] complete = bodyBytes == body.length ? body : Arrays.copyOf(body, bodyBytes);
    forgetBody();
    return complete;
  }

  private Router.Match match(HttpRequest complete) {
    int hosts = complete.headers().getAll(HttpHeaderNames.HOST).size();
    if (hosts > 1
        || (hosts == 0 && complete.protocolVersion().compareTo(HttpVersion.HTTP_1_1) >= 0)) {
      return Router.Match.refused(
          exchange -> exchange.refuse(400, "host: none, or several (expected: one)"));
    }
    if (!RequestTarget.resolve(complete)) {
      String detail =
          "target: " + complete.uri() + " (expected: a path, or a URL with a host and no user)";
      return Router.Match.refused(exchange -> exchange.refuse(400, detail));
    }
    return router.match(complete);
  }

  private HttpExchange exchange(
      ChannelHandlerContext ctx, HttpRequest complete, Router.Match match) {
    begin();
    return new HttpExchange(
        service, ctx, complete, takeBody(), match, new Client(ctx, match.measured()));
  }

  /** The client of this connection. */
  private final class Client implements HttpExchange.Client {

    private final ChannelHandlerContext ctx;
    private final boolean measured;

    Client(ChannelHandlerContext ctx, boolean measured) {
      this.ctx = ctx;
      this.measured = measured;
    }

    @Override
    public void authenticated(Caller caller) {
      HttpHandler.this.authenticated(caller);
    }

    @Override
    public <T> void whenDone(
        CompletableFuture<T> result, BiConsumer<@Nullable T, @Nullable Throwable> next) {
      HttpHandler.this.whenDone(ctx, result, next);
    }

    @Override
    public void send(FullHttpResponse response, boolean refusal) {
      HttpHandler.this.send(ctx, response, measured, refusal);
    }
  }

  private void send(
      ChannelHandlerContext ctx, FullHttpResponse response, boolean measured, boolean refusal) {
    HttpHeaders headers = response.headers();
    headers.set(HttpHeaderNames.DATE, date.at(service.time().currentTimeMillis()));
    unansweredBytes = 0;
    boolean last =
        isStopping() || headers.contains(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE, true);
    if (last) {
      headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    ctx.write(response, ctx.voidPromise());
    if (refusal) {
      refused(Problem.kind(response.status().code()));
    }
    answered(ctx, measured ? 1 : 0, refusal ? 1 : 0, last);
  }

  /** Refuses a head that the parser would refuse. */
  private void refuseHead(ChannelHandlerContext ctx, HeadScan.Result reason) {
    switch (reason) {
      case LINE_TOO_LONG -> refuseLine(ctx);
      case HEADERS_TOO_LARGE -> refuseHeaders(ctx);
      default -> refuseOther(ctx);
    }
  }

  private void refuseUnreadable(ChannelHandlerContext ctx, Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      refuseLine(ctx);
    } else if (cause instanceof TooLongHttpHeaderException) {
      refuseHeaders(ctx);
    } else {
      refuseOther(ctx);
    }
  }

  private void refuseLine(ChannelHandlerContext ctx) {
    String limit = "over " + mostBytes + " bytes (expected: at most " + mostBytes + ")";
    refuse(ctx, 414, "request line: " + limit);
  }

  private void refuseHeaders(ChannelHandlerContext ctx) {
    refuse(
        ctx,
        431,
        "headers: too large (expected: at most "
            + RequestHeaders.MAX
            + " lines in "
            + mostBytes
            + " bytes, and at most "
            + RequestHeaders.MAX_KEPT
            + " headers that the server reads)");
  }

  private void refuseOther(ChannelHandlerContext ctx) {
    refuse(ctx, 400, "request: not understood (expected: HTTP/1.1)");
  }

  /** Answers a request that is not read to its end, so that nothing can follow. */
  private void refuse(ChannelHandlerContext ctx, int status, String detail) {
    HttpRequest unread = new DefaultHttpRequest(HttpVersion.HTTP_1_0, HttpMethod.GET, "/");
    Router.Match refusal = Router.Match.refused(exchange -> exchange.refuse(status, detail));
    exchange(ctx, unread, refusal).answer();
  }
}
