package io.firn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A MariaDB 11.4 server that forces every commit to the disk, with the empty database {@code firn}
 * and the user {@code root}, who needs no password.
 */
public final class MariaDbServer extends ServerProcess {

  private static final List<String> SYSTEM_TABLES =
      List.of(
          "mariadb_system_tables.sql",
          "mariadb_performance_tables.sql",
          "mariadb_system_tables_data.sql");

  private final List<String> arguments;

  private MariaDbServer(List<String> arguments) {
    super("mariadb", "mariadbd: ready for connections", "KILL");
    this.arguments = arguments;
  }

  /**
   * Starts one.
   *
   * @param arguments more of its options, such as {@code "--max-connections=300"}
   */
  public static MariaDbServer start(String... arguments) {
    MariaDbServer server = new MariaDbServer(List.of(arguments));
    server.orClosed(
        () -> {
          server.run(
              List.of("cp", "-a", server.emptyData().toString(), server.data().toString()),
              Redirect.PIPE);
          server.restart();
        });
    return server;
  }

  /** Returns the data of a server that is new. Making them takes longer than a copy. */
  private Path emptyData() {
    String sql = initialisation();
    return SharedDirectories.of(
        Binaries.mariaDb().getFileName() + "-data-" + sql.hashCode(),
        directory -> {
          Path script = Files.writeString(directory().resolve("initialise.sql"), sql);
          run(
              mariadbd(directory, "--bootstrap", "--enforce-storage-engine="),
              Redirect.from(script.toFile()));
        });
  }

  /** Returns what mariadb-install-db runs, without the help texts. */
  private static String initialisation() {
    try {
      StringBuilder sql = new StringBuilder("create database mysql;\nuse mysql;\n");
      for (String tables : SYSTEM_TABLES) {
        sql.append(Files.readString(Binaries.mariaDb().resolve("share").resolve(tables)));
      }
      return sql.append("create database firn;\n").toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  List<String> command() {
    List<String> command =
        mariadbd(
            data(),
            "--bind-address=127.0.0.1",
            "--port=" + port(),
            "--socket=" + directory().resolve("socket"),
            "--skip-ssl",
            "--innodb-flush-log-at-trx-commit=1");
    command.addAll(arguments);
    return command;
  }

  private List<String> mariadbd(Path data, String... options) {
    Path home = Binaries.mariaDb();
    List<String> command =
        new ArrayList<>(
            List.of(
                home.resolve("bin").resolve("mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + home,
                "--datadir=" + data,
                "--skip-name-resolve",
                "--innodb-log-file-size=10M",
                "--innodb-undo-tablespaces=0"));
    if (directory().belongsToRoot()) {
      command.add("--user=root");
    }
    command.addAll(List.of(options));
    return command;
  }

  private Path data() {
    return directory().resolve("data");
  }

  /** Returns the name of its superuser. */
  public String user() {
    return "root";
  }

  /** Returns where a JDBC driver finds it, user included. */
  public String jdbcUrl() {
    return jdbcUrl(address());
  }

  /** Returns the same, by way of a proxy. */
  public String jdbcUrl(InetSocketAddress proxy) {
    return "jdbc:mariadb://127.0.0.1:" + proxy.getPort() + "/firn?user=" + user();
  }
}
