package io.firn.server;

import io.firn.server.config.ServerConfig;
import io.firn.server.config.Sources;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A server with one protocol at a free port of loopback, and a store of its own in memory. */
public final class RunningServer implements AutoCloseable {

  private final Server server;
  private final String protocol;

  private RunningServer(Server server, String protocol) {
    this.server = server;
    this.protocol = protocol;
  }

  /**
   * Starts one.
   *
   * @param protocol the name of the protocol in the configuration
   * @param maker makes it
   * @param yaml lines of the configuration file
   */
  public static RunningServer start(
      String protocol, Function<Service, Protocol> maker, String... yaml) {
    return start(protocol, maker, TimeSource.system(), yaml);
  }

  /** As above, with its clock. */
  public static RunningServer start(
      String protocol, Function<Service, Protocol> maker, TimeSource time, String... yaml) {
    Server server =
        Server.start(config(protocol, yaml), time, service -> List.of(maker.apply(service)));
    server.openNamespaces().join();
    return new RunningServer(server, protocol);
  }

  /** Starts one whose namespaces are not opened until someone asks for them. */
  public static RunningServer startClosed(
      String protocol, Function<Service, Protocol> maker, String... yaml) {
    return new RunningServer(
        Server.start(
            config(protocol, yaml), TimeSource.system(), service -> List.of(maker.apply(service))),
        protocol);
  }

  /** The configuration of a server that listens for one protocol. */
  public static ServerConfig config(String protocol, String... yaml) {
    Map<String, String> flags = new HashMap<>();
    if (Arrays.stream(yaml).noneMatch(line -> line.contains("drain"))) {
      flags.put("--drain", "0ms");
    }
    for (String each : List.of("http", "redis", "thrift")) {
      flags.put("--listen-" + each, each.equals(protocol) ? "127.0.0.1:0" : "off");
    }
    try {
      Path file = Files.createTempFile("firn", ".yaml");
      try {
        Files.write(file, List.of(yaml));
        flags.put("--config", file.toString());
        return Sources.of(flags, Map.of(), "file:" + newDirectory()).read();
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A directory of a store, which the end of the process deletes. */
  static Path newDirectory() throws IOException {
    Path directory = Files.createTempDirectory("firn-store");
    Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(directory)));
    return directory;
  }

  private static void delete(Path directory) {
    try (var files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
      Files.delete(directory);
    } catch (IOException e) {
      System.getLogger("io.firn.server").log(System.Logger.Level.WARNING, "left " + directory, e);
    }
  }

  /** The server itself. */
  public Server server() {
    return server;
  }

  /** Returns the address of the protocol. */
  public InetSocketAddress address() {
    return server.addresses().get(protocol);
  }

  /** A new connection. */
  public RawClient connect() {
    return new RawClient(address());
  }

  @Override
  public void close() {
    server.close();
  }
}
