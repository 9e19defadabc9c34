package io.firn.cli;

import io.firn.IdLayout;
import io.firn.jdbc.JdbcRegisterStore;
import io.firn.lease.LayoutMismatchException;
import io.firn.lease.Namespace;
import io.firn.segment.SegmentSource;
import io.firn.store.FileRegisterStore;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.StoreUri;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name a register store and a namespace in it. */
final class StoreOptions {

  /** Neither {@code :memory:} nor a URI of SQLite's own. */
  private static final Pattern SQLITE_FILE =
      Pattern.compile("sqlite:(?!file:|:)(.+)", Pattern.CASE_INSENSITIVE);

  @Option(
      names = "--store",
      paramLabel = "URI",
      description = "The store; by default FIRN_STORE, or the state directory.")
  @Nullable String store;

  @Option(
      names = "--namespace",
      paramLabel = "NAME",
      description = "The family of IDs that must not collide.")
  @Nullable String namespace;

  /** Returns whether an option names a store, as a variable does not. */
  boolean isGiven() {
    return store != null || namespace != null;
  }

  /**
   * Returns the address that an option gives, or else the variable of the server's setting; null if
   * neither does.
   */
  static @Nullable String address(Shell shell, @Nullable String given) {
    return given != null ? given : shell.environment().get("FIRN_STORE");
  }

  RegisterStore open(Shell shell) {
    return open(shell, store);
  }

  RegisterStore openOrCreate(Shell shell) {
    return openOrCreate(shell, store);
  }

  /**
   * Opens the store at an address that a command looks at. A directory, a file or a table that is
   * not there is refused and not made: the address is probably mistyped. If the table was dropped,
   * an empty one would show every worker ID as free. In a directory that is there, no file is made
   * before the first write.
   *
   * @param given null for that of the variable, or else the user's state directory
   */
  static RegisterStore open(Shell shell, @Nullable String given) {
    String address = address(shell, given);
    try {
      missingPath(shell, address)
          .ifPresent(
              what -> {
                throw new BadInput(
                    "store: "
                        + shown(shell, address)
                        + " (expected: a "
                        + what
                        + " that is there; firn serve, firn next or firn workers reserve --layout"
                        + " makes one)");
              });
      if (address == null) {
        return FileRegisterStore.openExisting(shell.state());
      }
      StoreUri uri = StoreUri.parse(address);
      if (isDirectory(uri)) {
        return FileRegisterStore.openExisting(Path.of(uri.allow().path()));
      }
      return RegisterStore.open(uri.scheme().equals("jdbc") ? withoutCreation(uri) : address);
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }

  private static boolean isDirectory(StoreUri uri) {
    return uri.scheme().equals("file") && !uri.path().isEmpty() && !uri.hasServers();
  }

  private static String withoutCreation(StoreUri uri) {
    String database = uri.without("ddl");
    return database + (database.contains("?") ? "&" : "?") + "ddl=false";
  }

  /** Returns an address without its secrets; the state directory if it is null. */
  private static String shown(Shell shell, @Nullable String address) {
    return address == null ? "file:" + shell.state() : StoreUri.parse(address).toString();
  }

  /** Returns {@code directory} or {@code file} if the address names one that is not there. */
  private static Optional<String> missingPath(Shell shell, @Nullable String address) {
    if (address == null) {
      return Optional.of("directory").filter(what -> Files.notExists(shell.state()));
    }
    StoreUri uri = StoreUri.parse(address);
    if (isDirectory(uri) && Files.notExists(Path.of(uri.path()))) {
      return Optional.of("directory");
    }
    Matcher sqlite = SQLITE_FILE.matcher(uri.path());
    return Optional.of("file")
        .filter(
            what ->
                uri.scheme().equals("jdbc")
                    && sqlite.matches()
                    && Files.notExists(Path.of(sqlite.group(1))));
  }

  /** The directory, the file or the table of a store, which is not there. */
  record Missing(String description, boolean isTable) {}

  /** Returns what {@link #openOrCreate} would make; empty if nothing is missing. */
  static Optional<Missing> missing(Shell shell, @Nullable String given) {
    String address = address(shell, given);
    try {
      Optional<String> path = missingPath(shell, address);
      if (path.isPresent() || address == null) {
        return path.map(what -> new Missing(what + " of " + shown(shell, address), false));
      }
      StoreUri uri = StoreUri.parse(address);
      try (RegisterStore store = open(shell, address)) {
        return store instanceof JdbcRegisterStore database && !database.hasTable()
            ? Optional.of(
                new Missing(
                    "table "
                        + uri.parameter("table").orElse(JdbcRegisterStore.TABLE)
                        + " of "
                        + uri,
                    true))
            : Optional.empty();
      }
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }

  /** Returns an empty store in place of one that is not there. */
  static RegisterStore empty(Shell shell, @Nullable String given) {
    boolean mayForget = flag(shell, given, "may-forget", false);
    String shown = shown(shell, address(shell, given));
    return new ForwardingRegisterStore(new InMemoryRegisterStore()) {
      @Override
      public boolean mayForget() {
        return mayForget;
      }

      @Override
      public String toString() {
        return shown;
      }
    };
  }

  /** Returns a flag of the address of a store. */
  static boolean flag(Shell shell, @Nullable String given, String name, boolean byDefault) {
    String address = address(shell, given);
    return address == null ? byDefault : StoreUri.parse(address).flag(name, byDefault);
  }

  /**
   * Opens the store at an address for a generator, now or later. The directory or the table is made
   * if it is not there.
   *
   * @param given null for that of the variable, or else the user's state directory
   */
  static RegisterStore openOrCreate(Shell shell, @Nullable String given) {
    String address = address(shell, given);
    if (address == null) {
      return FileRegisterStore.open(shell.state());
    }
    try {
      return RegisterStore.open(address);
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }

  /** The work of a command with its store. */
  @FunctionalInterface
  interface Action {
    void run(RegisterStore store) throws IOException;
  }

  /** Runs an action on a store, closes that and flushes the output; a refusal is bad input. */
  static void run(Shell shell, RegisterStore opened, Action action) throws IOException {
    try (RegisterStore store = opened) {
      action.run(store);
    } catch (IllegalStateException | UnsupportedOperationException | LayoutMismatchException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
    shell.out().flush();
  }

  /** Opens the store for its counters; here it may also be a table of Leaf or tinyid. */
  SegmentSource openSegments(Shell shell) {
    String address = address(shell, store);
    if (address == null) {
      return SegmentSource.of(openOrCreate(shell));
    }
    try {
      return SegmentSource.open(address);
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }

  /** Returns the given namespace, or else all of a store. */
  List<String> namespacesOf(RegisterStore store) {
    return namespace == null ? Namespace.names(store) : List.of(namespace);
  }

  /** Returns the given namespace, or one for each layout, because a namespace has one layout. */
  String namespaceFor(IdLayout layout) {
    return namespace != null
        ? namespace
        : Arguments.nameOf(layout).replaceAll("[^A-Za-z0-9._-]", "_");
  }
}
