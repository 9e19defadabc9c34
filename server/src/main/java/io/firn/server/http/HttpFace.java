package io.firn.server.http;

import io.firn.server.Connection;
import io.firn.server.Face;
import io.firn.server.Service;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.nio.charset.StandardCharsets;

/** HTTP/1.1. */
public final class HttpFace implements Face {

  private final Service service;
  private final Router router;

  /** Serves IDs, what they mean, and how this server and its namespaces are. */
  public HttpFace(Service service) {
    this.service = service;
    router = router(service);
  }

  static Router router(Service service) {
    Router router = new Router();
    new IdRoutes(service).addTo(router);
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
      new TinyidRoutes(service).addTo(router);
    }
    return router;
  }

  @Override
  public String name() {
    return "http";
  }

  @Override
  public void open(ChannelPipeline pipeline, Connection connection) {
    pipeline.addLast(new HttpResponseEncoder());
    pipeline.addLast(new HttpConversation(service, router, connection));
  }

  @Override
  public ByteBuf goodbye(String reason) {
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
}
