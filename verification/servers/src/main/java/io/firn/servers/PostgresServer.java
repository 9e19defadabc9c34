package io.firn.servers;

import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A PostgreSQL 18 server that forces every commit to the disk, with the database {@code postgres}
 * and the user {@code postgres}, who needs no password.
 *
 * <p>PostgreSQL refuses to run as root. Started by root it gets a user namespace of its own, in
 * which it is nobody; that takes util-linux and a system that permits it, which a container may
 * not.
 */
public final class PostgresServer extends ServerProcess {

  private final List<String> arguments;

  private PostgresServer(List<String> arguments) {
    super("postgres", "database system is ready to accept connections", "QUIT");
    this.arguments = arguments;
  }

  /**
   * Starts one.
   *
   * @param arguments more of its options, such as {@code "-c", "max_connections=200"}
   */
  public static PostgresServer start(String... arguments) {
    PostgresServer server = new PostgresServer(List.of(arguments));
    server.orClosed(
        () -> {
          server.run(server.initialisation(), Redirect.PIPE);
          server.restart();
        });
    return server;
  }

  private List<String> initialisation() {
    return asNobody(
        "initdb",
        List.of("-D", data(), "-U", user(), "-A", "trust", "-E", "UTF8", "--no-locale", "-N"));
  }

  @Override
  List<String> command() {
    List<String> options =
        new ArrayList<>(
            List.of(
                "-D",
                data(),
                "-h",
                "127.0.0.1",
                "-p",
                "" + port(),
                "-c",
                "unix_socket_directories=",
                "-c",
                "fsync=on",
                "-c",
                "synchronous_commit=on"));
    options.addAll(arguments);
    return asNobody("postgres", options);
  }

  private List<String> asNobody(String program, List<String> options) {
    List<String> command = new ArrayList<>();
    if (directory().belongsToRoot()) {
      command.addAll(List.of("unshare", "--user"));
    }
    command.add(Binaries.postgres().resolve("bin").resolve(program).toString());
    command.addAll(options);
    return command;
  }

  private String data() {
    return directory().resolve("data").toString();
  }

  /** The name of its superuser. */
  public String user() {
    return "postgres";
  }

  /** Where a JDBC driver finds it, user included. */
  public String jdbcUrl() {
    return jdbcUrl(address());
  }

  /** The same, by way of a proxy. */
  public String jdbcUrl(InetSocketAddress proxy) {
    return "jdbc:postgresql://127.0.0.1:" + proxy.getPort() + "/postgres?user=" + user();
  }
}
