package io.firn.cli;

import io.firn.json.Json;
import io.firn.lease.LeaseStatus;
import io.firn.server.NamespaceStatus;
import io.firn.server.Server;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.SnowflakeConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What a server says when it has started: one line a namespace, and what to try. */
final class Greeting {

  /** A store that does not answer must not keep the server from saying that it is there. */
  private static final long PATIENCE_SECONDS = 2;

  private final Server server;
  private final Shell shell;

  Greeting(Server server, Shell shell) {
    this.server = server;
    this.shell = shell;
  }

  void print() throws IOException {
    awaitNamespaces();
    ServerConfig config = server.service().config();
    List<String> required = config.required();
    Function<NamespaceStatus, String> form = config.jsonLog() ? this::event : this::line;
    String lines =
        server.service().namespaces().statuses().stream()
            .filter(status -> required.contains(status.name()))
            .map(form)
            .collect(Collectors.joining());
    shell.print(config.jsonLog() ? lines : lines + commands(required.get(0)));
    shell.out().flush();
  }

  private void awaitNamespaces() {
    try {
      server.openNamespaces().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return; // its status says why
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String line(NamespaceStatus status) {
    String name = shell.ansi().string("@|bold " + status.name() + "|@: ");
    return name + status.trouble().map(this::trouble).orElseGet(() -> state(status)) + "\n";
  }

  /** The line as an event of the log, for whoever collects them. */
  private String event(NamespaceStatus status) {
    Optional<LeaseStatus> lease = status.lease();
    return Json.object(
            object -> {
              object
                  .time("time", shell.now())
                  .text("level", "INFO")
                  .text("logger", "io.firn.server")
                  .text("message", status.trouble().isEmpty() ? "serving" : "not ready")
                  .text("namespace", status.name());
              if (status.config() instanceof SnowflakeConfig config && lease.isPresent()) {
                object
                    .text("layout", LayoutArgument.nameOf(config.layout()))
                    .number("worker", lease.get().worker())
                    .number("window_ms", config.window().toMillis())
                    .text("store", lease.get().store())
                    .time("until", config.layout().positiveUntil());
              }
              object.text("trouble", status.trouble());
            })
        + "\n";
  }

  private String trouble(String text) {
    return shell.ansi().string("@|red not ready|@") + "; " + text;
  }

  private static String state(NamespaceStatus status) {
    return status.config() instanceof SnowflakeConfig snowflake
        ? state(snowflake, status.lease().orElseThrow())
        : status
            .segments()
            .map(stats -> "segments of " + stats.step() + ", store " + stats.source())
            .orElseThrow();
  }

  private static String state(SnowflakeConfig config, LeaseStatus lease) {
    return LayoutArgument.nameOf(config.layout())
        + ", worker "
        + lease.worker()
        + ", window "
        + config.window().toMillis()
        + " ms, store "
        + lease.store()
        + ", until "
        + Times.utc(config.layout().positiveUntil());
  }

  private String commands(String namespace) {
    Map<String, InetSocketAddress> addresses = server.addresses();
    StringBuilder text = new StringBuilder("Try:\n");
    InetSocketAddress http = addresses.get("http");
    boolean tls = server.service().config().tls().isPresent();
    String url =
        http == null
            ? ""
            : (tls ? "https://" : "http://") + reachable(http) + ":" + http.getPort() + "/";
    if (http != null) {
      text.append(command("curl " + url + "v1/ids/" + namespace));
    }
    InetSocketAddress redis = addresses.get("redis");
    if (redis != null) {
      text.append(
          command(
              (tls ? "redis-cli --tls -h " : "redis-cli -h ")
                  + reachable(redis)
                  + " -p "
                  + redis.getPort()
                  + " INCR "
                  + namespace));
    }
    return text + (http == null ? "" : command("open " + url));
  }

  private String command(String text) {
    return "  " + shell.ansi().string("@|cyan " + text + "|@") + "\n";
  }

  private static String reachable(InetSocketAddress address) {
    if (address.getAddress().isAnyLocalAddress()) {
      return "localhost";
    }
    String host = address.getAddress().getHostAddress();
    return host.contains(":") ? "[" + host + "]" : host;
  }
}
