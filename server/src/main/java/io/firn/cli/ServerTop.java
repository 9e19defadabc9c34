package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.FirnException;
import io.firn.store.StoreUri;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.yaml.snakeyaml.Yaml;

/** The table of the namespaces of a server, with the rate since it was shown before. */
final class ServerTop {

  private static final int TIMEOUT_MILLIS = 5_000;

  private final Shell shell;
  private final URI url;
  private final String shown;
  private final Map<String, Long> issuedBefore = new HashMap<>();
  private long before;

  ServerTop(Shell shell, URI url) {
    this.shell = shell;
    this.url = url;
    shown = StoreUri.hide(url.toString());
  }

  String text(int columns) {
    Map<?, ?> state = get("/v1/server");
    List<?> namespaces =
        get("/v1/namespaces").get("namespaces") instanceof List<?> found ? found : List.of();
    long now = shell.time().nanoTime();
    double passed = (now - before) / (double) TimeUnit.SECONDS.toNanos(1);
    before = now;
    Grid grid =
        new Grid(
            "lllrrrrr",
            "namespace",
            "state",
            "layout",
            "worker",
            "issued",
            "a second",
            "lead",
            "window left");
    namespaces.forEach(each -> add(grid, (Map<?, ?>) each, passed));
    Object outage = state.get("outage");
    return shown
        + "  "
        + (outage == null ? "ready" : "not ready: " + outage)
        + "\n\n"
        + grid.text(columns);
  }

  private void add(Grid grid, Map<?, ?> namespace, double passed) {
    String name = String.valueOf(namespace.get("name"));
    Map<?, ?> lease = object(namespace, "lease");
    Map<?, ?> stats = object(namespace, "stats");
    long issued = stats.isEmpty() ? 0 : number(stats, "issued");
    Long last = issuedBefore.put(name, issued);
    boolean counted = last != null && issued >= last && !stats.isEmpty(); // less after a restart
    grid.add(
        name,
        namespace.get("outage") == null ? "active" : "stopped",
        layout(object(namespace, "layout")),
        lease.isEmpty() ? "-" : number(lease, "worker"),
        stats.isEmpty() ? "-" : HumanText.amount((double) issued),
        counted ? HumanText.amount((double) Math.round((issued - last) / passed)) : "-",
        stats.isEmpty() ? "-" : number(stats, "lead_ms") + " ms",
        lease.isEmpty() ? "-" : number(lease, "left_ms") + " ms");
  }

  private static String layout(Map<?, ?> layout) {
    Object name = layout.get("name");
    return layout.isEmpty()
        ? "counts"
        : name == null || name.equals("") ? String.valueOf(layout.get("spec")) : name.toString();
  }

  private static Map<?, ?> object(Map<?, ?> of, String name) {
    return of.get(name) instanceof Map<?, ?> found ? found : Map.of();
  }

  private static long number(Map<?, ?> of, String name) {
    return of.get(name) instanceof Number number ? number.longValue() : 0;
  }

  private Map<?, ?> get(String path) {
    try {
      HttpURLConnection connection = connection(path);
      try {
        return answer(connection);
      } finally {
        connection.disconnect();
      }
    } catch (IOException e) {
      throw new FirnException("Server " + shown + " did not answer: " + e.getMessage(), e);
    }
  }

  private Map<?, ?> answer(HttpURLConnection connection) throws IOException {
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    String token = shell.environment().get("FIRN_TOKEN");
    if (token != null) {
      connection.setRequestProperty("Authorization", "Bearer " + token);
    }
    int status = connection.getResponseCode();
    try (InputStream body =
        status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      String text = body == null ? "" : new String(body.readAllBytes(), UTF_8);
      Object answer = new Yaml().load(text); // JSON is YAML
      if (status < 400 && answer instanceof Map<?, ?> found) {
        return found;
      }
      Object detail = answer instanceof Map<?, ?> problem ? problem.get("detail") : null;
      throw new BadInput(
          "server: "
              + shown
              + " answered "
              + status
              + (detail == null ? "" : ": " + detail)
              + " (expected: a server of Firn, and FIRN_TOKEN where it asks for a token)");
    }
  }

  private HttpURLConnection connection(String path) throws IOException {
    try {
      if (url.resolve(path).toURL().openConnection() instanceof HttpURLConnection http) {
        return http;
      }
    } catch (IllegalArgumentException | MalformedURLException e) {
      // reported below
    }
    throw new BadInput("server: " + shown + " (expected: http://HOST:PORT or https://HOST:PORT)");
  }
}
