package io.firn.server.http;

import io.firn.server.Connection;
import io.firn.server.Protocol;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.ProtocolKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/** HTTP/1.1. */
public final class HttpProtocol implements Protocol {

  private static final Pattern PROBE_ANSWER =
      Pattern.compile("HTTP/1.1 200 .*\r\n\r\n[0-9]+\n", Pattern.DOTALL);

  private static final Pattern ADMIN_PROBE_ANSWER =
      Pattern.compile("HTTP/1.1 200 .*\r\n\r\nalive\n", Pattern.DOTALL);

  private final ProtocolKind kind;
  private final Service service;
  private final Router router;

  /** The routes of connections beyond a limit; empty if there are none. */
  private final Optional<Router> reserved;

  private final DateHeader date = new DateHeader();

  private HttpProtocol(
      ProtocolKind kind, Service service, Router router, Optional<Router> reserved) {
    this.kind = kind;
    this.service = service;
    this.router = router;
    this.reserved = reserved;
  }

  /** Serves IDs and, unless that is served elsewhere, all that {@link #admin} serves. */
  public HttpProtocol(Service service) {
    this(
        service,
        service.config().listen().containsKey(ProtocolKind.ADMIN.label())
            ? Optional.empty()
            : Optional.of(adminRouter(service)));
  }

  private HttpProtocol(Service service, Optional<Router> admin) {
    this(ProtocolKind.HTTP, service, router(service, admin), admin);
  }

  /** Serves health, metrics, the state of the fleet, and the console. */
  public static HttpProtocol admin(Service service) {
    return new HttpProtocol(ProtocolKind.ADMIN, service, adminRouter(service), Optional.empty());
  }

  private static Router adminRouter(Service service) {
    Router router = new Router();
    addCommonRoutes(router, service);
    new FleetRoutes(service).addTo(router);
    new SegmentRoutes(service).addTo(router);
    new HealthRoutes(service).addTo(router);
    new MetricsRoute(service).addTo(router);
    new ServerRoute(service).addTo(router);
    new OverviewRoutes(service).addTo(router);
    new ReloadRoute(service).addTo(router);
    ConsoleRoutes.addTo(router);
    return router;
  }

  /** Returns a router of all routes. */
  static Router router(Service service) {
    return router(service, Optional.of(adminRouter(service)));
  }

  private static Router router(Service service, Optional<Router> admin) {
    Router router = new Router();
    IdRoutes.addTo(router);
    BlockRoutes.addTo(router);
    new WatermarkRoutes(service).addTo(router);
    if (service.config().legacy().routes()) {
      new LeafRoutes(service).addTo(router);
      new TinyidRoutes(service).addTo(router);
    }
    admin.ifPresentOrElse(router::addAll, () -> addCommonRoutes(router, service));
    return router;
  }

  private static void addCommonRoutes(Router router, Service service) {
    new LayoutRoutes(service).addTo(router);
    OpenApiRoute.addTo(router);
  }

  private boolean isAdmin() {
    return kind == ProtocolKind.ADMIN;
  }

  @Override
  public String name() {
    return kind.label();
  }

  @Override
  public boolean announcesClose() {
    return true;
  }

  @Override
  public void open(ChannelPipeline pipeline, Connection connection) {
    open(pipeline, connection, router);
  }

  @Override
  public boolean hasReserved() {
    return reserved.isPresent();
  }

  @Override
  public void openReserved(
      ChannelPipeline pipeline, Connection connection, RequestException refusal) {
    Route others =
        exchange -> {
          connection.countRejected();
          throw refusal;
        };
    open(pipeline, connection, reserved.orElseThrow().withOthers(others));
  }

  private void open(ChannelPipeline pipeline, Connection connection, Router router) {
    pipeline.addLast(new HttpResponseEncoder());
    pipeline.addLast(new HttpHandler(service, router, date, connection));
  }

  @Override
  public ByteBuf rejection(RequestException refusal) {
    int status = Problem.status(refusal.kind());
    String body = Problem.json(status, refusal.code(), String.valueOf(refusal.getMessage()));
    return Unpooled.copiedBuffer(
        "HTTP/1.1 "
            + HttpResponseStatus.valueOf(status)
            + "\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: "
            + Problem.TYPE
            + "\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body,
        StandardCharsets.US_ASCII);
  }

  @Override
  public Optional<String> command(Endpoint endpoint, String namespace) {
    return isAdmin()
        ? Optional.empty()
        : Optional.of(
            (service.callers().anonymous().isPresent()
                    ? "curl "
                    : "curl -H \"Authorization: Bearer $TOKEN\" ")
                + url(endpoint)
                + "v1/ids/"
                + namespace);
  }

  @Override
  public Optional<String> page(Endpoint endpoint) {
    return isAdmin() || hasReserved() ? Optional.of(url(endpoint)) : Optional.empty();
  }

  private static String url(Endpoint endpoint) {
    String scheme = endpoint.tls() ? "https://" : "http://";
    return scheme + endpoint.host() + ":" + endpoint.port() + "/";
  }

  @Override
  public Probe probe(String namespace, Optional<String> token) {
    if (isAdmin()) {
      return new Probe("GET /livez HTTP/1.0\r\n\r\n", ADMIN_PROBE_ANSWER);
    }
    String authorization = token.map(text -> "Authorization: Bearer " + text + "\r\n").orElse("");
    return new Probe(
        "GET /v1/ids/" + namespace + " HTTP/1.0\r\n" + authorization + "\r\n", PROBE_ANSWER);
  }
}
