package io.firn.testservers;

import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A PostgreSQL 18 server that forces every commit to the disk, with the database {@code postgres}
 * and the user {@code postgres}, who needs no password.
 *
 * <p>PostgreSQL refuses to run as root. Started by root it gets a user namespace of its own, in
 * which it has no rights; that takes util-linux and a system that permits it, which a container may
 * not.
 */
public final class PostgresServer extends ServerProcess {

  private final List<String> arguments;

  private PostgresServer(List<String> arguments) {
    super("postgres", "database system is ready to accept", "QUIT");
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
          server.run(List.of("cp", "-a", server.emptyData(), server.data()), Redirect.PIPE);
          server.restart();
        });
    return server;
  }

  /**
   * Starts a hot standby of a primary, which is killed and restarted for that. The standby connects
   * under the application name {@code name}, for {@code synchronous_standby_names}.
   *
   * @param primary the server that the standby follows
   * @param name 1..63 of a-z and 0-9
   */
  public static PostgresServer startStandbyOf(PostgresServer primary, String name) {
    PostgresServer standby =
        new PostgresServer(
            List.of(
                "-c",
                "primary_conninfo=host=127.0.0.1 port="
                    + primary.port()
                    + " user="
                    + primary.user()
                    + " application_name="
                    + name));
    standby.orClosed(
        () -> {
          primary.kill();
          standby.run(List.of("cp", "-a", primary.data(), standby.data()), Redirect.PIPE);
          standby.run(List.of("touch", standby.data() + "/standby.signal"), Redirect.PIPE);
          primary.restart();
          standby.restart();
        });
    return standby;
  }

  /** Makes a standby the primary, and waits until it accepts writes. */
  public void promote() {
    run(asNobody("pg_ctl", List.of("promote", "-D", data(), "-w")), Redirect.PIPE);
  }

  /** Returns the data of a server that is new. Making them takes longer than a copy. */
  private String emptyData() {
    List<String> options = List.of("-U", user(), "-A", "trust", "-E", "UTF8", "--no-locale", "-N");
    return SharedDirectories.of(
            Binaries.postgres().getFileName() + "-data-" + options.hashCode(),
            directory -> {
              List<String> all = new ArrayList<>(options);
              all.addAll(List.of("-D", directory.toString()));
              run(asNobody("initdb", all), Redirect.PIPE);
            })
        .toString();
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

  /** Returns the name of its superuser. */
  public String user() {
    return "postgres";
  }

  /** Returns where a JDBC driver finds it, user included. */
  public String jdbcUrl() {
    return jdbcUrl(address());
  }

  /** Returns the same, by way of a proxy. */
  public String jdbcUrl(InetSocketAddress proxy) {
    return "jdbc:postgresql://127.0.0.1:" + proxy.getPort() + "/postgres?user=" + user();
  }
}
