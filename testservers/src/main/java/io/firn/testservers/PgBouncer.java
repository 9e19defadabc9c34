package io.firn.testservers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A PgBouncer of the PATH, which hands connections to a {@link PostgresServer} to its clients for
 * one transaction at a time.
 */
public final class PgBouncer extends ServerProcess {

  private static final InstalledProgram PROGRAM =
      new InstalledProgram("pgbouncer", "pgbouncer", "FIRN_REQUIRE_PGBOUNCER");

  private PgBouncer() {
    super("pgbouncer", "process up", "QUIT");
  }

  /**
   * Returns whether there is one on the PATH.
   *
   * @throws IllegalStateException if there is none and {@code FIRN_REQUIRE_PGBOUNCER} is 1
   */
  public static boolean isInstalled() {
    return PROGRAM.isInstalled();
  }

  /** Starts one before that server. */
  public static PgBouncer start(PostgresServer server) {
    PgBouncer bouncer = new PgBouncer();
    bouncer.orClosed(
        () -> {
          bouncer.configure(server);
          bouncer.restart();
        });
    return bouncer;
  }

  private void configure(PostgresServer server) {
    try {
      Files.writeString(
          file(),
          """
          [databases]
          postgres = host=127.0.0.1 port=%d dbname=postgres user=%s
          [pgbouncer]
          listen_addr = 127.0.0.1
          listen_port = %d
          unix_socket_dir =
          auth_type = any
          pool_mode = transaction
          default_pool_size = 2
          ignore_startup_parameters = extra_float_digits
          """
              .formatted(server.port(), server.user(), port()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Path file() {
    return directory().resolve("pgbouncer.ini");
  }

  /** Started by root, it gets a user namespace of its own: it refuses to run as root. */
  @Override
  List<String> command() {
    List<String> command = new ArrayList<>();
    if (directory().belongsToRoot()) {
      command.addAll(List.of("unshare", "--user"));
    }
    command.add(PROGRAM.find().orElseThrow(PROGRAM::missing).toString());
    command.add(file().toString());
    return command;
  }
}
