package io.firn.server.http;

import io.firn.server.Connection;
import io.firn.server.Protocol;
import io.firn.server.Service;
import io.firn.server.config.ProtocolKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;

/** HTTP/1.1. */
public final class HttpProtocol implements Protocol {

  private static final Pattern PROBE_ANSWER =
      Pattern.compile("HTTP/1.1 200 .*\r\n\r\n[0-9]+\n", Pattern.DOTALL);

  private final Service service;
  private final Router router;

  /** Serves IDs, what they mean, and how this server and its namespaces are. */
  public HttpProtocol(Service service) {
    this.service = service;
    router = router(service);
  }

  static Router router(Service service) {
    Router router = new Router();
    IdRoutes.addTo(router);
    new LayoutRoutes(service).addTo(router);
    new FleetRoutes(service).addTo(router);
    new SegmentRoutes(service).addTo(router);
    new HealthRoutes(service).addTo(router);
    new MetricsRoute(service).addTo(router);
    new ServerRoute(service).addTo(router);
    OpenApiRoute.addTo(router);
    ConsoleRoutes.addTo(router);
    if (service.config().legacyRoutes()) {
      new LeafRoutes(service).addTo(router);
      TinyidRoutes.addTo(router);
    }
    return router;
  }

  @Override
  public String name() {
    return ProtocolKind.HTTP.label();
  }

  @Override
  public void open(ChannelPipeline pipeline, Connection connection) {
    pipeline.addLast(new HttpResponseEncoder());
    pipeline.addLast(new HttpHandler(service, router, connection));
  }

  @Override
  public ByteBuf rejection(String reason) {
    String body = Problem.json(503, reason);
    return Unpooled.copiedBuffer(
        "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: "
            + Problem.TYPE
            + "\r\nContent-Length: "
            + body.length()
            + "\r\n\r\n"
            + body,
        StandardCharsets.US_ASCII);
  }

  @Override
  public Optional<String> command(Endpoint endpoint, String namespace) {
    return Optional.of("curl " + url(endpoint) + "v1/ids/" + namespace);
  }

  @Override
  public Optional<String> page(Endpoint endpoint) {
    return Optional.of(url(endpoint));
  }

  private static String url(Endpoint endpoint) {
    String scheme = endpoint.tls() ? "https://" : "http://";
    return scheme + endpoint.host() + ":" + endpoint.port() + "/";
  }

  @Override
  public Probe probe(String namespace, Optional<String> token) {
    String authorization = token.map(text -> "Authorization: Bearer " + text + "\r\n").orElse("");
    return new Probe(
        "GET /v1/ids/" + namespace + " HTTP/1.0\r\n" + authorization + "\r\n", PROBE_ANSWER);
  }
}
