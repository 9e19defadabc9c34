package io.firn.server.http;

import io.firn.block.IdBlock;
import io.firn.server.Caller;
import io.firn.server.ClientAddress;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.TokenScope;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpHeadersFactory;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One request and its one answer. Used by the connection's event loop only. */
final class HttpExchange {

  private static final String BEARER = "Bearer ";

  /** Makes the headers of answers. None has characters of a client, so they are not checked. */
  private static final HttpHeadersFactory HEADERS =
      DefaultHttpHeadersFactory.headersFactory().withValidation(false);

  private final Service service;
  private final ChannelHandlerContext ctx;
  private final HttpRequest request;
  private final byte[] body;
  private final Router.Match match;
  private final Client client;
  private @Nullable Map<String, List<String>> query;

  HttpExchange(
      Service service,
      ChannelHandlerContext ctx,
      HttpRequest request,
      byte[] body,
      Router.Match match,
      Client client) {
    this.service = service;
    this.ctx = ctx;
    this.request = request;
    this.body = body;
    this.match = match;
    this.client = client;
  }

  /** The client of a connection. */
  interface Client {

    /** Reports that it presented a token. */
    void authenticated(Caller caller);

    /** Goes on when a result is there, unless the client has left. */
    <T> void whenDone(
        CompletableFuture<T> result, BiConsumer<@Nullable T, @Nullable Throwable> next);

    /**
     * Sends it the answer.
     *
     * @param refusal whether the request is not granted
     */
    void send(FullHttpResponse response, boolean refusal);
  }

  /** Runs the route; its exception becomes the answer. */
  void answer() {
    answer(() -> match.route().answer(this));
  }

  /**
   * Returns the parameter of the path.
   *
   * @param name its name in the path of the route
   * @throws RequestException if it cannot be decoded
   */
  String path(String name) {
    if (!match.parameter().equals(name)) {
      throw new IllegalArgumentException(
          "name: " + name + " (expected: " + match.parameter() + ", as the route has it)");
    }
    String encoded = match.value();
    return encoded.indexOf('%') < 0 ? encoded : decode(encoded, "path").path();
  }

  /** Returns whether the method is POST. */
  boolean isPost() {
    return request.method().equals(HttpMethod.POST);
  }

  /** Returns the values of all headers of a name as one list; empty if there is none. */
  String header(CharSequence name) {
    return RequestHeaders.list(request.headers(), name);
  }

  /** Returns the route's type that the client prefers. */
  String type() {
    return match.type();
  }

  /**
   * Returns a parameter of the query.
   *
   * @throws RequestException if the query cannot be read
   */
  Optional<String> parameter(String name) {
    List<String> given = query().get(name);
    return given == null ? Optional.empty() : Optional.of(given.get(0));
  }

  private Map<String, List<String>> query() {
    Map<String, List<String>> parameters = query;
    if (parameters == null) {
      parameters =
          request.uri().indexOf('?') < 0 ? Map.of() : decode(request.uri(), "query").parameters();
      query = parameters;
    }
    return parameters;
  }

  /**
   * Checks that the query has no other parameters, and each of them once.
   *
   * @throws RequestException if it has
   */
  void requireParameters(String... known) {
    query()
        .forEach(
            (name, values) -> {
              if (!List.of(known).contains(name)) {
                String rule = known.length == 0 ? "none" : String.join(", ", known);
                throw badRequest("parameter: " + name + " (expected: " + rule + ")");
              }
              if (values.size() > 1) {
                throw badRequest(name + ": given " + values.size() + " times (expected: once)");
              }
            });
  }

  /**
   * Checks that the request has no body, whose parameters would be ignored.
   *
   * @throws RequestException if it has
   */
  void requireNoBody() {
    if (body.length > 0) {
      throw badRequest(
          "body: " + body.length + " bytes (expected: none; parameters stand in the query)");
    }
  }

  /** Returns the body of the request; empty if it has none. */
  byte[] body() {
    return body;
  }

  private static RequestException badRequest(String message) {
    return new RequestException(RequestException.Kind.BAD_REQUEST, message);
  }

  private static QueryStringDecoder decode(String encoded, String what) {
    QueryStringDecoder decoder = new QueryStringDecoder(encoded);
    try {
      decoder.path();
      decoder.parameters();
    } catch (IllegalArgumentException e) {
      throw badRequest(what + ": " + encoded + " (expected: two hexadecimal digits after each %)");
    }
    return decoder;
  }

  /**
   * Returns how many IDs are asked for.
   *
   * @throws RequestException if that is no number, or too many
   */
  int count(String parameter) {
    Optional<String> given = parameter(parameter);
    return given.isEmpty() ? 1 : service.count(parameter, given.get());
  }

  /**
   * Returns the caller.
   *
   * @throws RequestException if tokens are asked for, and the request has none that is known
   */
  Caller caller() {
    return anonymous().orElseGet(() -> known(bearer(false)));
  }

  /**
   * Returns the caller, if that is what its token is for.
   *
   * @throws RequestException if tokens are asked for, and the request has none for that
   */
  Caller caller(TokenScope scope) {
    Caller caller = caller();
    caller.require(scope);
    return caller;
  }

  /**
   * Returns the caller, where the token may also be a parameter.
   *
   * @throws RequestException if tokens are asked for, and the request has none that is known
   */
  Caller caller(String parameter) {
    return anonymous()
        .orElseGet(
            () -> {
              Optional<String> given = parameter(parameter);
              return known(given.flatMap(this::find).orElseGet(() -> bearer(given.isPresent())));
            });
  }

  /** Returns whether the client may ask for data. A probe, which has no token, is not logged. */
  boolean isKnown() {
    if (service.callers().anonymous().isEmpty() && token(request.headers()).isEmpty()) {
      return false;
    }
    try {
      caller();
      return true;
    } catch (RequestException e) {
      return false;
    }
  }

  private Optional<Caller> anonymous() {
    Optional<Caller> anonymous = service.callers().anonymous();
    if (anonymous.isPresent()) {
      Origin.check(request.headers(), service.config().hosts());
    }
    return anonymous;
  }

  private Caller known(Caller caller) {
    client.authenticated(caller);
    return caller;
  }

  private Optional<Caller> find(String token) {
    return service.callers().find(token, ClientAddress.of(ctx.channel()));
  }

  /**
   * Returns the caller with the token in the headers.
   *
   * @param presented whether the request has another token, which is not known
   */
  private Caller bearer(boolean presented) {
    if (request.headers().getAll(HttpHeaderNames.AUTHORIZATION).size() > 1) {
      throw badRequest("authorization: several headers (expected: one)");
    }
    Optional<String> token = token(request.headers());
    return token
        .flatMap(this::find)
        .orElseThrow(() -> unauthenticated(presented || token.isPresent()));
  }

  /**
   * Returns the token in the headers of a request, if there is one. Of several headers, a proxy and
   * the server could take different ones.
   */
  static Optional<String> token(HttpHeaders headers) {
    List<String> all = headers.getAll(HttpHeaderNames.AUTHORIZATION);
    String text = all.size() == 1 ? all.get(0) : "";
    return text.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? Optional.of(text.substring(BEARER.length()).strip())
        : Optional.empty();
  }

  private RequestException unauthenticated(boolean presented) {
    if (!presented) {
      service.callers().noToken(ClientAddress.of(ctx.channel()));
    }
    return new RequestException(
        RequestException.Kind.UNAUTHENTICATED,
        "authorization: "
            + (presented ? "an unknown token" : withoutToken())
            + " (expected: Bearer and a token)");
  }

  private String withoutToken() {
    String text = request.headers().get(HttpHeaderNames.AUTHORIZATION);
    if (text == null) {
      return "none";
    }
    return text.strip().equalsIgnoreCase(BEARER.strip()) ? "Bearer without a token" : "not Bearer";
  }

  /** Issues IDs of a namespace to a caller, and answers with them when they are there. */
  void issue(Caller caller, String namespace, int count, Consumer<long[]> answer) {
    service.namespaces().issue(caller, namespace, new long[count], count, this::whenDone, answer);
  }

  /** Issues IDs to a caller in a scope of their own; {@code answer} gets its name and the IDs. */
  void issueInScope(
      Caller caller, String namespace, int count, int millis, BiConsumer<String, long[]> answer) {
    service.namespaces().issueInScope(caller, namespace, count, millis, this::whenDone, answer);
  }

  /** Ends a scope for a caller. */
  void endScope(Caller caller, String scope) {
    service.namespaces().endScope(caller, scope);
  }

  /** Reserves IDs of a namespace for a caller. */
  CompletableFuture<IdBlock> reserve(Caller caller, String namespace, BlockRequest request) {
    return service
        .namespaces()
        .block(caller, namespace, request.count(), request.begin(), request.name());
  }

  /** Goes on with a result on this connection's event loop; a failure becomes the answer. */
  <T> void whenDone(CompletableFuture<T> future, Consumer<? super T> next) {
    client.whenDone(
        future,
        (result, failure) -> {
          if (failure != null) {
            refuse(RequestException.of(failure));
          } else {
            answer(() -> next.accept(Objects.requireNonNull(result)));
          }
        });
  }

  /**
   * Sends an answer of the preferred type that takes long to make. It is made by a thread that is
   * no event loop.
   *
   * @param report returns the answer; its exception becomes the answer
   */
  void report(Supplier<String> report) {
    whenDone(service.reports().report(report), this::reply);
  }

  /** Runs an action that answers; its exception becomes the answer. */
  private void answer(Runnable answering) {
    try {
      answering.run();
    } catch (RuntimeException e) { // an unexpected failure is answered too
      refuse(RequestException.of(e));
    }
  }

  /** Sends an answer of the preferred type. */
  void reply(String body) {
    reply(type(), body);
  }

  /** Sends an answer of another type. */
  void reply(String bodyType, String body) {
    send(response(HttpResponseStatus.OK, bodyType, ByteBufUtil.writeUtf8(ctx.alloc(), body)));
  }

  /** Sends an answer of the preferred type; takes the body over. */
  void reply(ByteBuf body) {
    send(response(HttpResponseStatus.OK, type(), body));
  }

  /** Sends an answer with another status, and with headers that replace the usual ones. */
  void reply(HttpResponseStatus status, Map<CharSequence, String> headers, ByteBuf body) {
    FullHttpResponse response = response(status, type(), body);
    headers.forEach(response.headers()::set);
    send(response);
  }

  void refuse(RequestException refusal) {
    send(problem(refusal));
  }

  /** Sends an outage as the answer to a probe: the request is granted. */
  void replyOutage(String outage) {
    send(problem(new RequestException(RequestException.Kind.UNAVAILABLE, outage)), false);
  }

  private FullHttpResponse problem(RequestException refusal) {
    FullHttpResponse problem =
        problem(
            Problem.status(refusal.kind()), refusal.code(), String.valueOf(refusal.getMessage()));
    if (refusal.kind() == RequestException.Kind.UNAUTHENTICATED) {
      problem.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, "Bearer");
    }
    refusal
        .retrySeconds()
        .ifPresent(seconds -> problem.headers().set(HttpHeaderNames.RETRY_AFTER, seconds));
    return problem;
  }

  void refuse(int status, String detail) {
    send(problem(status, detail));
  }

  void refuseMethod(String allowed) {
    FullHttpResponse problem =
        problem(405, "method: " + request.method() + " (expected: " + allowed + ")");
    problem.headers().set(HttpHeaderNames.ALLOW, allowed);
    send(problem);
  }

  private FullHttpResponse problem(int status, String detail) {
    return problemOf(status, Problem.json(status, detail));
  }

  private FullHttpResponse problem(int status, String code, String detail) {
    return problemOf(status, Problem.json(status, code, detail));
  }

  private FullHttpResponse problemOf(int status, String json) {
    ByteBuf body = ByteBufUtil.writeUtf8(ctx.alloc(), json);
    return response(HttpResponseStatus.valueOf(status), Problem.TYPE, body);
  }

  private FullHttpResponse response(HttpResponseStatus status, String bodyType, ByteBuf body) {
    HttpHeaders headers =
        HEADERS
            .newHeaders()
            .add(HttpHeaderNames.CONTENT_TYPE, bodyType)
            .add(HttpHeaderNames.CACHE_CONTROL, HttpHeaderValues.NO_STORE);
    if (!status.equals(HttpResponseStatus.NOT_MODIFIED)) { // where it would be that of the content
      headers.addInt(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    }
    return new DefaultFullHttpResponse(
        HttpVersion.HTTP_1_1, status, body, headers, EmptyHttpHeaders.INSTANCE);
  }

  private void send(FullHttpResponse response) {
    send(response, response.status().code() >= HttpResponseStatus.BAD_REQUEST.code());
  }

  private void send(FullHttpResponse response, boolean refusal) {
    if (request.method().equals(HttpMethod.HEAD)) {
      response.content().clear();
    }
    if (!HttpUtil.isKeepAlive(request)) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else if (request.protocolVersion().compareTo(HttpVersion.HTTP_1_1) < 0) {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.KEEP_ALIVE);
    }
    client.send(response, refusal);
  }
}
