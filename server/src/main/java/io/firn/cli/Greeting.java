package io.firn.cli;

import io.firn.IdLayout;
import io.firn.internal.IsoTime;
import io.firn.json.Json;
import io.firn.server.NamespaceStatus;
import io.firn.server.Protocol;
import io.firn.server.SegmentStatus;
import io.firn.server.Server;
import io.firn.server.SnowflakeStatus;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.SnowflakeConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;

/** The lines that a server prints when it has started: one line a namespace, and what to try. */
final class Greeting {

  /** A store that does not answer must not keep the server from saying that it is there. */
  private static final long MAX_WAIT_SECONDS = 2;

  private final Server server;
  private final Shell shell;

  Greeting(Server server, Shell shell) {
    this.server = server;
    this.shell = shell;
  }

  void print() throws IOException {
    awaitNamespaces();
    server.service().namespaces().logOpenings();
    ServerConfig config = server.service().config();
    Set<String> names = config.permanent();
    Function<NamespaceStatus, String> form = config.jsonLog() ? this::event : this::line;
    String lines =
        server.service().namespaces().statuses().stream()
            .filter(status -> names.contains(status.name()))
            .map(form)
            .collect(Collectors.joining());
    shell.print(config.jsonLog() ? lines : lines + commands(toTry(config)));
    shell.out().flush();
  }

  private void awaitNamespaces() {
    try {
      server.openNamespaces().get(MAX_WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      return; // its status says why
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private String line(NamespaceStatus status) {
    String name = shell.ansi().string("@|bold " + status.name() + "|@: ");
    return name + status.outage().map(this::notReady).orElseGet(() -> state(status)) + "\n";
  }

  /** Returns the line as an event of the log, for log collectors. */
  private String event(NamespaceStatus status) {
    return Json.object(
            object -> {
              object
                  .time("time", shell.now())
                  .text("level", "INFO")
                  .text("logger", "io.firn.server")
                  .text("message", status.outage().isEmpty() ? "serving" : "not ready")
                  .text("namespace", status.name());
              if (status instanceof SnowflakeStatus open) {
                object
                    .text("layout", Arguments.nameOf(open.config().layout()))
                    .number("worker", open.lease().worker())
                    .number("window_ms", open.config().window().toMillis())
                    .text("store", open.lease().store())
                    .time("until", open.config().layout().positiveUntil());
              }
              object.text("outage", status.outage());
            })
        + "\n";
  }

  private String notReady(String outage) {
    return shell.ansi().string("@|red not ready|@") + "; " + outage;
  }

  private static String state(NamespaceStatus status) {
    if (status instanceof SnowflakeStatus open) {
      IdLayout layout = open.config().layout();
      return Arguments.nameOf(layout)
          + ", worker "
          + open.lease().worker()
          + ", window "
          + open.config().window().toMillis()
          + " ms, store "
          + open.lease().store()
          + ", until "
          + IsoTime.utc(layout.positiveUntil());
    }
    return status instanceof SegmentStatus open
        ? "segments of " + open.stats().step() + ", store " + open.stats().source()
        : "";
  }

  /** Returns a namespace of snowflakes: numbers of segments are not wasted on a check. */
  private static Optional<String> toTry(ServerConfig config) {
    return config.permanent().stream()
        .filter(name -> config.namespace(name).orElseThrow() instanceof SnowflakeConfig)
        .findFirst();
  }

  private String commands(Optional<String> namespace) {
    boolean tls = server.service().config().tls().isPresent();
    StringBuilder commands = new StringBuilder("Try:\n");
    StringBuilder pages = new StringBuilder();
    for (Protocol protocol : server.protocols()) {
      InetSocketAddress at = Objects.requireNonNull(server.addresses().get(protocol.name()));
      Protocol.Endpoint endpoint = new Protocol.Endpoint(reachable(at), at.getPort(), tls);
      namespace
          .flatMap(name -> protocol.command(endpoint, name))
          .ifPresent(text -> commands.append(command(text)));
      protocol.page(endpoint).ifPresent(page -> pages.append(command("open " + page)));
    }
    return commands.append(pages).toString();
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
