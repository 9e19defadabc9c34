package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.FirnException;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.lease.WorkerEntry.State;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.MalformedURLException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.Yaml;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A table of namespaces and workers, drawn again and again. */
@Command(
    name = "top",
    description = {
      "Show the namespaces and workers of a store or a server, refreshed every two seconds.",
      "Ctrl-C ends it. If the output is not a terminal, they are shown once."
    })
final class TopCommand implements Callable<Integer> {

  private static final int MOST_WORKERS = 30;
  private static final long EVERY_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int TIMEOUT_MILLIS = 5_000;
  private static final String CLEAR = "\u001b[H\u001b[2J";

  private static final String NAMESPACE = "%-32s %-14s %6s %8s %8s %8s %8s  %s";
  private static final String WORKER = "%-32s %10s  %-8s %-16s %8s  %s";
  private static final String SERVED = "%-32s %-8s %-14s %8s %14s %10s %9s  %s";

  private final Shell shell;

  @Mixin StoreOptions options = new StoreOptions();

  @Option(
      names = "--server",
      paramLabel = "http://HOST:PORT",
      description = "Show a server instead of a store. FIRN_TOKEN is the token.")
  @Nullable URI server;

  @Option(
      names = {"-n", "--count"},
      paramLabel = "COUNT",
      converter = Arguments.Count.class,
      description = "The number of refreshes; unlimited by default.")
  @Nullable Long count;

  private final Map<String, Long> issuedBefore = new HashMap<>();
  private long before;

  TopCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    if (server != null && options.isGiven()) {
      throw new BadInput("option: --server (expected: not with --store or --namespace)");
    }
    long left = count != null ? count : shell.terminal() ? Long.MAX_VALUE : 1;
    if (server != null) {
      URI of = server;
      repeat(left, () -> served(of));
      return 0;
    }
    try (RegisterStore store = options.open(shell)) {
      repeat(left, () -> stored(store));
    }
    return 0;
  }

  private interface Table {
    String text() throws IOException;
  }

  private void repeat(long times, Table table) throws IOException {
    for (long left = times; left > 0; left--) {
      String text = table.text();
      shell.print((shell.terminal() ? CLEAR : "") + text);
      shell.out().flush();
      if (left > 1) {
        shell.time().parkNanos(EVERY_NANOS);
      }
    }
  }

  private String stored(RegisterStore store) {
    Instant now = shell.now();
    Map<String, List<WorkerEntry>> all = Namespace.workers(store, options.namespacesOf(store));
    StringBuilder text = new StringBuilder();
    text.append(store).append("  ").append(now).append("\n\n");
    row(
        text,
        NAMESPACE,
        "namespace",
        "layout",
        "held",
        "expired",
        "released",
        "reserved",
        "blocks",
        "next fence");
    List<Map.Entry<String, WorkerEntry>> workers = new ArrayList<>();
    all.forEach(
        (name, entries) -> {
          entries.forEach(entry -> workers.add(Map.entry(name, entry)));
          String layout = Namespace.of(store, name).layout().map(Arguments::nameOf).orElse("-");
          String fence =
              entries.stream()
                  .filter(entry -> entry.state(now) == State.HELD)
                  .map(WorkerEntry::fence)
                  .min(Comparator.naturalOrder())
                  .map(first -> HumanText.age(first, now))
                  .orElse("-");
          row(
              text,
              NAMESPACE,
              name,
              layout,
              count(entries, State.HELD, now),
              count(entries, State.EXPIRED, now),
              count(entries, State.RELEASED, now),
              count(entries, State.RESERVED, now),
              count(entries, State.BLOCK, now),
              fence);
        });
    text.append('\n');
    row(text, WORKER, "namespace", "worker", "state", "fence", "process", "holder");
    workers.sort(Comparator.comparing(each -> each.getValue().state(now)));
    for (Map.Entry<String, WorkerEntry> each :
        workers.subList(0, Math.min(MOST_WORKERS, workers.size()))) {
      WorkerEntry worker = each.getValue();
      row(
          text,
          WORKER,
          each.getKey(),
          worker.worker(),
          worker.state(now).label(),
          worker.fence().equals(WorkerEntry.NEVER) ? "none" : HumanText.age(worker.fence(), now),
          worker.pid(),
          worker.holder());
    }
    if (workers.size() > MOST_WORKERS) {
      text.append("… and ").append(workers.size() - MOST_WORKERS).append(" more\n");
    }
    return text.toString();
  }

  private static long count(List<WorkerEntry> entries, State state, Instant now) {
    return entries.stream().filter(entry -> entry.state(now) == state).count();
  }

  private static void row(StringBuilder text, String form, Object... cells) {
    text.append(String.format(Locale.ROOT, form, cells).stripTrailing()).append('\n');
  }

  private String served(URI url) throws IOException {
    Map<?, ?> state = get(url, "/v1/server");
    List<?> namespaces =
        get(url, "/v1/namespaces").get("namespaces") instanceof List<?> found ? found : List.of();
    long now = shell.time().nanoTime();
    double passed = (now - before) / (double) TimeUnit.SECONDS.toNanos(1);
    StringBuilder text = new StringBuilder();
    Object outage = state.get("trouble");
    text.append(url).append("  ").append(outage == null ? "ready" : "not ready: " + outage);
    text.append("\n\n");
    row(
        text,
        SERVED,
        "namespace",
        "state",
        "layout",
        "worker",
        "issued",
        "a second",
        "lead",
        "window left");
    for (Object each : namespaces) {
      Map<?, ?> namespace = (Map<?, ?>) each;
      String name = String.valueOf(namespace.get("name"));
      Map<?, ?> lease = object(namespace, "lease");
      Map<?, ?> stats = object(namespace, "stats");
      long issued = stats.isEmpty() ? 0 : number(stats, "issued");
      Long last = issuedBefore.put(name, issued);
      row(
          text,
          SERVED,
          name,
          namespace.get("trouble") == null ? "active" : "stopped",
          layout(object(namespace, "layout")),
          lease.isEmpty() ? "-" : number(lease, "worker"),
          stats.isEmpty() ? "-" : HumanText.amount((double) issued),
          last == null || stats.isEmpty()
              ? "-"
              : HumanText.amount((double) Math.round((issued - last) / passed)),
          stats.isEmpty() ? "-" : number(stats, "lead_ms") + " ms",
          lease.isEmpty() ? "-" : number(lease, "left_ms") + " ms");
    }
    before = now;
    return text.toString();
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

  private Map<?, ?> get(URI url, String path) throws IOException {
    HttpURLConnection connection = connection(url, path);
    connection.setConnectTimeout(TIMEOUT_MILLIS);
    connection.setReadTimeout(TIMEOUT_MILLIS);
    String token = shell.environment().get("FIRN_TOKEN");
    if (token != null) {
      connection.setRequestProperty("Authorization", "Bearer " + token);
    }
    int status = status(connection, url);
    try (InputStream body =
        status < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      String text = body == null ? "" : new String(body.readAllBytes(), UTF_8);
      Object answer = new Yaml().load(text); // JSON is YAML
      if (status >= 400 || !(answer instanceof Map<?, ?> found)) {
        Object detail = answer instanceof Map<?, ?> problem ? problem.get("detail") : null;
        throw new BadInput(
            "server: "
                + url
                + " answered "
                + status
                + (detail == null ? "" : ": " + detail)
                + " (expected: a server of Firn, and FIRN_TOKEN where it asks for a token)");
      }
      return found;
    } finally {
      connection.disconnect();
    }
  }

  private static int status(HttpURLConnection connection, URI url) {
    try {
      return connection.getResponseCode();
    } catch (IOException e) {
      throw new FirnException("Server " + url + " did not answer: " + e.getMessage(), e);
    }
  }

  private static HttpURLConnection connection(URI url, String path) throws IOException {
    try {
      if (url.resolve(path).toURL().openConnection() instanceof HttpURLConnection http) {
        return http;
      }
    } catch (IllegalArgumentException | MalformedURLException e) {
      // reported below
    }
    throw new BadInput("server: " + url + " (expected: http://HOST:PORT or https://HOST:PORT)");
  }
}
