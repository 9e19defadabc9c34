package io.firn.server.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.micrometer.registry.otlp.CompressionMode;
import io.micrometer.registry.otlp.OtlpMetricsSender;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Sends metrics to a collector over HTTP. An export takes 10 s at most, reads the beginning of the
 * answer only, and follows no redirect. The JDK limits its headers, since 17.0.13. A failure is
 * logged, and the next export is another attempt.
 */
final class CollectorSender implements OtlpMetricsSender {

  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /** More than a collector has to say. */
  private static final int MAX_ANSWER_BYTES = 4 << 10;

  /** The length of the collector's text in the log. */
  private static final int MAX_SHOWN = 200;

  /** The place of the text in the log. */
  private static final String TEXT = "{0}";

  private static final Logger LOG = System.getLogger("io.firn.server");

  private final HttpClient client =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();

  @Override
  public void send(Request metrics) throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<String>> exchange =
        client.sendAsync(request(metrics), head -> new FirstBytes());
    try {
      HttpResponse<String> answer = exchange.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
      if (answer.statusCode() / 100 != 2) {
        refused("status " + answer.statusCode(), ", " + answer.body());
      }
    } catch (ExecutionException e) {
      String cause = String.valueOf(e.getCause());
      int end = cause.indexOf(':');
      refused(
          cause.substring(0, end < 0 ? cause.length() : end), end < 0 ? "" : cause.substring(end));
    } catch (TimeoutException e) {
      LOG.log(
          Level.WARNING,
          "The collector of otlp.url did not complete its answer within "
              + TIMEOUT.toSeconds()
              + " s");
    } finally {
      exchange.cancel(true); // closes the connection of one that is not complete
    }
  }

  private static HttpRequest request(Request metrics) throws IOException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(metrics.getAddress()));
    metrics.getHeaders().forEach(request::setHeader);
    request.setHeader("Content-Type", "application/x-protobuf");
    byte[] body = metrics.getMetricsData();
    if (metrics.getCompressionMode() == CompressionMode.GZIP) {
      request.setHeader("Content-Encoding", "gzip");
      body = packed(body);
    }
    return request.POST(HttpRequest.BodyPublishers.ofByteArray(body)).build();
  }

  private static byte[] packed(byte[] body) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(body);
    }
    return packed.toByteArray();
  }

  /**
   * Logs a failure.
   *
   * @param kind what the failures have in common of which one is logged in a while
   * @param text may be the collector's, and another one each time
   */
  private static void refused(String kind, String text) {
    String line = text.strip();
    String shown = line.substring(0, Math.min(MAX_SHOWN, line.length()));
    LOG.log(
        Level.WARNING,
        "The collector of otlp.url did not accept the metrics: " + kind + TEXT,
        shown);
  }

  /** Completes with the text of the first bytes of a body, and then reads no more of it. */
  private static final class FirstBytes implements BodySubscriber<String> {

    private final ByteArrayOutputStream first = new ByteArrayOutputStream();
    private final CompletableFuture<String> text = new CompletableFuture<>();
    private Flow.@Nullable Subscription body;

    @Override
    public CompletionStage<String> getBody() {
      return text;
    }

    @Override
    public void onSubscribe(Flow.Subscription subscription) {
      body = subscription;
      subscription.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
      for (ByteBuffer part : parts) {
        byte[] bytes = new byte[Math.min(part.remaining(), MAX_ANSWER_BYTES - first.size())];
        part.get(bytes);
        first.writeBytes(bytes);
      }
      if (first.size() < MAX_ANSWER_BYTES) {
        Objects.requireNonNull(body).request(1);
      } else {
        Objects.requireNonNull(body).cancel();
        onComplete();
      }
    }

    @Override
    public void onError(Throwable failure) {
      text.completeExceptionally(failure);
    }

    @Override
    public void onComplete() {
      text.complete(first.toString(UTF_8));
    }
  }
}
