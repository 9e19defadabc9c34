package io.firn.client;

import io.firn.time.TimeSource;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The servers of a client. One thread fetches; any thread may ask how they answered. */
final class Upstreams {

  private final List<Upstream> servers = new ArrayList<>();
  private final HttpClient http;
  private int current;

  /** The servers, in an order by chance. */
  Upstreams(
      List<URI> addresses,
      String namespace,
      @Nullable String token,
      int batch,
      Duration timeout,
      HttpClient http,
      TimeSource time) {
    this.http = http;
    for (URI address : addresses) {
      HttpRequest request = request(address, namespace, token, batch);
      servers.add(
          (int) time.random(servers.size() + 1),
          new Upstream(address, request, batch, timeout.toNanos(), time));
    }
  }

  /**
   * Returns the addresses, each once. Refuses a list that is empty or has an address that is not
   * one of HTTP.
   */
  static List<URI> checked(List<URI> addresses) {
    if (addresses.isEmpty()) {
      throw new IllegalArgumentException("servers: none (expected: at least one address)");
    }
    for (URI address : addresses) {
      String scheme = "" + address.getScheme();
      if (!scheme.matches("https?") || address.getHost() == null || address.getQuery() != null) {
        throw new IllegalArgumentException(
            "servers: " + address + " (expected: http://HOST:PORT or https://HOST:PORT)");
      }
    }
    return addresses.stream().distinct().toList();
  }

  private static HttpRequest request(
      URI address, String namespace, @Nullable String token, int batch) {
    String base = address.toString().replaceAll("/+$", "");
    String name = URLEncoder.encode(namespace, StandardCharsets.UTF_8).replace("+", "%20");
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + "/v1/ids/" + name + "?count=" + batch))
            .header("Accept", "text/plain");
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    return request.build();
  }

  /**
   * Chooses the server that answered last, or the next one whose back-off is or will be over first.
   *
   * @return for how long it is not to be asked; 0 or less if it may be
   */
  long choose() {
    int first = current;
    for (int i = 0; i < servers.size(); i++) {
      int next = (current + i) % servers.size();
      if (servers.get(next).backoffNanos() <= 0) {
        first = next;
        break;
      }
      if (servers.get(next).backoffNanos() < servers.get(first).backoffNanos()) {
        first = next;
      }
    }
    current = first;
    return servers.get(first).backoffNanos();
  }

  /** Requests a batch of the chosen server; null if that fails. */
  @Nullable Batch fetch() {
    return servers.get(current).fetch(http);
  }

  /** Returns whether each one answered last that it does not issue these IDs. */
  boolean isEachRefusing() {
    return servers.stream().allMatch(Upstream::isRefused);
  }

  /** Returns the last failure of each server, by address. */
  Map<String, String> lastFailures() {
    return servers.stream().collect(Collectors.toMap(Upstream::address, Upstream::lastFailure));
  }

  @Override
  public String toString() {
    return servers.stream().map(Upstream::address).sorted().collect(Collectors.joining(", "));
  }
}
