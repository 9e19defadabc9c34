package io.firn.server.http;

import io.firn.server.RunningServer;
import io.firn.server.Server;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** A server that speaks HTTP, and clients of it. */
final class HttpServing implements AutoCloseable {

  private final RunningServer running;
  private final HttpClient client = HttpClient.newHttpClient();

  private HttpServing(RunningServer running) {
    this.running = running;
  }

  /** Starts one with that configuration file, and waits until its namespaces are open. */
  static HttpServing start(String yaml) {
    return new HttpServing(RunningServer.start("http", HttpProtocol::new, yaml));
  }

  /** As above, with its clock. */
  static HttpServing start(TimeSource time, String yaml) {
    return new HttpServing(RunningServer.start("http", HttpProtocol::new, time, yaml));
  }

  /** Starts one whose namespaces are not opened until someone asks for them. */
  static HttpServing startClosed(String yaml) {
    return new HttpServing(RunningServer.startClosed("http", HttpProtocol::new, yaml));
  }

  Server server() {
    return running.server();
  }

  URI uri(String pathAndQuery) {
    return URI.create("http://127.0.0.1:" + running.address().getPort() + pathAndQuery);
  }

  HttpResponse<String> get(String pathAndQuery, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri(pathAndQuery));
    return client.send(
        (headers.length == 0 ? request : request.headers(headers)).build(),
        BodyHandlers.ofString());
  }

  HttpResponse<String> post(String path, String body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(uri(path)).POST(HttpRequest.BodyPublishers.ofString(body));
    return client.send(
        (headers.length == 0 ? request : request.headers(headers)).build(),
        BodyHandlers.ofString());
  }

  RawHttp connect() {
    return new RawHttp(running.connect());
  }

  @Override
  public void close() {
    running.close();
  }
}
