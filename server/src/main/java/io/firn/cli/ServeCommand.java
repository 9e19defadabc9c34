package io.firn.cli;

import io.firn.server.Protocol;
import io.firn.server.Server;
import io.firn.server.Service;
import io.firn.server.config.Flag;
import io.firn.server.config.ProtocolKind;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.Sources;
import io.firn.server.config.TlsConfig;
import io.firn.server.http.HttpProtocol;
import io.firn.server.metrics.OtlpExport;
import io.firn.server.redis.RedisProtocol;
import io.firn.server.thrift.ThriftProtocol;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Serves IDs until it is stopped. */
@Command(
    name = "serve",
    description = {
      "Serve IDs over HTTP, the Redis protocol and Thrift.",
      "Every setting that --print-config shows is a flag as well: limits.count is --limits-count."
    })
final class ServeCommand implements Callable<Integer> {

  private static final String CONFIG = "--config";

  private static final Logger LOG = System.getLogger("io.firn.server");
  private static final Duration MAX_OVERTIME = Duration.ofSeconds(1);

  private final Shell shell;
  private volatile int exitCode;
  private volatile Optional<SystemdNotifier> systemd = Optional.empty();

  @Option(names = CONFIG, paramLabel = "FILE", description = "A YAML file with settings.")
  @Nullable Path file;

  @Option(names = "--print-config", description = "Show all settings, and where each was set.")
  boolean printConfig;

  @Option(
      names = "--check",
      description =
          "Start, request an ID over each protocol, and stop; exits with 1 if one does"
              + " not answer.")
  boolean check;

  @Spec @Nullable CommandSpec spec;

  ServeCommand(Shell shell) {
    this.shell = shell;
  }

  /** Returns the command with the flags of all settings. */
  CommandSpec withFlags() {
    CommandSpec command = CommandSpec.forAnnotatedObject(this);
    Sources.flags().forEach(flag -> command.addOption(option(flag)));
    return command;
  }

  private static OptionSpec option(Flag flag) {
    OptionSpec.Builder option =
        OptionSpec.builder(flag.name())
            .type(String.class)
            .paramLabel(flag.form())
            .description(flag.help())
            .hidden(!flag.isProminent());
    return flag.isSwitch()
        ? option
            .arity("0..1")
            .fallbackValue("on")
            .completionCandidates(List.of("on", "off"))
            .build()
        : option.build();
  }

  @Override
  public Integer call() throws IOException {
    if (check && printConfig) {
      throw new BadInput("option: --check (expected: not with --print-config)");
    }
    Sources sources;
    ServerConfig config;
    try {
      sources = sources();
      config = sources.read();
      checkProbes(config);
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
    if (printConfig) {
      shell.print(sources.toString());
      shell.out().flush();
      return 0;
    }
    return serve(config);
  }

  /** Refuses a check whose requests the server would not answer. */
  private void checkProbes(ServerConfig config) {
    if (check && config.requiresCertificates()) {
      throw new IllegalArgumentException(
          "tls.client-ca: "
              + config.tls().flatMap(TlsConfig::clientAuthorities).orElseThrow()
              + " (expected: none with --check, which has no certificate: check a copy of the"
              + " configuration without it)");
    }
  }

  private Sources sources() {
    return Sources.of(flags(), shell.environment(), shell.defaultStore());
  }

  private Sources sourcesAfter(ServerConfig before) {
    return Sources.again(flags(), shell.environment(), shell.defaultStore(), before);
  }

  private Map<String, String> flags() {
    Map<String, String> flags = new LinkedHashMap<>();
    for (OptionSpec option : Objects.requireNonNull(spec).options()) {
      Object value = option.getValue();
      if (value instanceof String || value instanceof Path) {
        flags.put(option.longestName(), value.toString());
      }
    }
    return flags;
  }

  private int serve(ServerConfig config) throws IOException {
    new LogLine(config.jsonLog()).install();
    Server server = start(config);
    if (check) {
      try (server) {
        return new ServerCheck(server, shell).run();
      }
    }
    config.otlp().ifPresent(target -> OtlpExport.start(server.service(), target));
    server.reloadFrom(() -> sourcesAfter(server.service().config()).read());
    stopWithProcess(server);
    HangUp.run(server.service().current()::reloadLater);
    try {
      greet(server);
      systemd = SystemdNotifier.of(shell.environment());
      systemd.ifPresent(notifier -> notifier.ready(server.service().loops()));
    } catch (RuntimeException | Error e) {
      exitCode = ExitCode.SOFTWARE;
      throw e;
    }
    awaitEnd();
    return 0;
  }

  /** A closed standard output does not stop the server. */
  private void greet(Server server) {
    try {
      new Greeting(server, shell).print();
    } catch (IOException e) {
      LOG.log(Level.WARNING, "Cannot write to standard output: " + e.getMessage());
    }
  }

  private Server start(ServerConfig config) {
    try {
      return Server.start(config, shell.time(), ServeCommand::protocols);
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }

  private static Protocol protocol(ProtocolKind kind, Service service) {
    return switch (kind) {
      case HTTP -> new HttpProtocol(service);
      case REDIS -> new RedisProtocol(service);
      case THRIFT -> new ThriftProtocol(service);
      case ADMIN -> HttpProtocol.admin(service);
    };
  }

  /** Returns all protocols. Those that the configuration turns off are not served. */
  private static List<Protocol> protocols(Service service) {
    return Arrays.stream(ProtocolKind.values()).map(kind -> protocol(kind, service)).toList();
  }

  private void stopWithProcess(Server server) {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "firn-stop"));
  }

  /**
   * Ends the process when the server is closed, or a second after the grace if something hangs. A
   * signal ends a JVM with the signal's own exit code, unless a hook does it before: a stop in
   * order is a success, and any other is none.
   */
  private void stop(Server server) {
    AtomicBoolean inOrder = new AtomicBoolean();
    Thread closing = new Thread(() -> close(server, inOrder), "firn-close");
    closing.setDaemon(true);
    closing.start();
    systemd.ifPresent(SystemdNotifier::stopping);
    try {
      closing.join(server.service().config().grace().plus(MAX_OVERTIME).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    if (closing.isAlive()) {
      LOG.log(Level.ERROR, "The server did not stop within its grace; what is left is cut off");
    }
    Runtime.getRuntime().halt(inOrder.get() ? exitCode : ExitCode.SOFTWARE);
  }

  /** Closes the server, which logs what fails. */
  private static void close(Server server, AtomicBoolean inOrder) {
    try {
      server.close();
    } catch (IllegalStateException e) {
      return;
    }
    inOrder.set(true);
  }

  private static void awaitEnd() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
