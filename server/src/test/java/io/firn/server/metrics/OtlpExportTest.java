package io.firn.server.metrics;

import static java.util.stream.Collectors.toUnmodifiableMap;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.firn.internal.Host;
import io.firn.server.RawClient;
import io.firn.testservers.FirnServer;
import io.opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the export to a collector, which is a small HTTP server here. */
@Timeout(180)
final class OtlpExportTest {

  private final Map<String, String> attributes = new ConcurrentHashMap<>();

  /** Those of the latest request, all of them at once. */
  private volatile Map<String, Metric> received = Map.of();

  private void receive(HttpExchange exchange) throws IOException {
    try (exchange;
        InputStream in = exchange.getRequestBody()) {
      boolean packed = "gzip".equals(exchange.getRequestHeaders().getFirst("Content-Encoding"));
      ExportMetricsServiceRequest.parseFrom(packed ? new GZIPInputStream(in) : in)
          .getResourceMetricsList()
          .forEach(this::receive);
      exchange.sendResponseHeaders(200, -1);
    }
  }

  private void receive(ResourceMetrics resource) {
    resource
        .getResource()
        .getAttributesList()
        .forEach(each -> attributes.put(each.getKey(), each.getValue().getStringValue()));
    received =
        resource.getScopeMetricsList().stream()
            .flatMap(scope -> scope.getMetricsList().stream())
            .collect(toUnmodifiableMap(Metric::getName, metric -> metric, (one, other) -> other));
  }

  @Test
  void sendsTheMetersOfTheServer() throws Exception {
    HttpServer collector =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    collector.createContext("/v1/metrics", this::receive);
    collector.start();
    try (FirnServer server =
            FirnServer.start(
                "--store=memory:",
                "--otlp-url=http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/metrics",
                "--otlp-period=1s");
        RawClient client = new RawClient(server.address())) {
      for (int i = 0; i < 7; i++) {
        assertThat(client.send("INCR default\r\n").line()).startsWith(":");
      }
      while (issued() < 7) {
        Thread.sleep(10);
      }
      assertThat(received)
          .containsKeys(
              "firn.build.info", "firn.lease.remaining", "firn.request", "jvm.memory.used");
      assertThat(attributes)
          .containsEntry("service.name", "firn")
          .containsEntry("service.instance.id", Host.name());
      assertThat(received.get("firn.ready").getGauge().getDataPoints(0).getAsDouble()).isEqualTo(1);
    } finally {
      collector.stop(0);
    }
  }

  private double issued() {
    Metric metric = received.get("firn.issued");
    return metric == null ? 0 : metric.getSum().getDataPoints(0).getAsDouble();
  }
}
