package io.firn.cli;

import io.firn.lease.LeaseStatus;
import io.firn.server.NamespaceStatus;
import io.firn.server.Server;
import io.firn.server.config.SnowflakeConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
    List<String> required = server.service().config().required();
    StringBuilder text = new StringBuilder();
    server.service().namespaces().statuses().stream()
        .filter(status -> required.contains(status.name()))
        .forEach(status -> text.append(line(status)));
    shell.print(text + commands(required.get(0)));
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
