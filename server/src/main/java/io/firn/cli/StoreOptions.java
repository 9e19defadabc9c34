package io.firn.cli;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.jdbc.JdbcRegisterStore;
import io.firn.lease.Namespace;
import io.firn.segment.SegmentSource;
import io.firn.server.config.Sources;
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
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that name a register store and a namespace in it. */
final class StoreOptions {

  /** The tables of another system, in a database. */
  private static final Pattern TABLES = Pattern.compile("[a-z-]+:(jdbc:.*)", Pattern.DOTALL);

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
    try {
      return given != null ? given : Sources.store(shell.environment());
    } catch (IllegalArgumentException e) {
      throw new BadInput(e);
    }
  }

  /** Runs an action on the address of an option, or else of the variable, which a refusal names. */
  private static <T> T valid(Shell shell, @Nullable String given, Supplier<T> action) {
    try {
      return action.get();
    } catch (IllegalArgumentException | BadInput e) {
      String message =
          e instanceof IllegalArgumentException refusal
              ? BadInput.text(refusal)
              : String.valueOf(e.getMessage());
      boolean isVariable = given == null && shell.environment().containsKey(Sources.STORE_VARIABLE);
      throw new BadInput(
          isVariable ? message.replaceFirst("\\)$", "; " + Sources.STORE_VARIABLE + ")") : message);
    }
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
    return valid(shell, given, () -> openExisting(shell, address));
  }

  private static RegisterStore openExisting(Shell shell, @Nullable String address) {
    missingPath(shell, address)
        .ifPresent(
            missing -> {
              throw refused(
                  shell,
                  address,
                  "a "
                      + missing.kind()
                      + " that is there; firn serve, firn next or firn workers reserve --layout"
                      + " makes one");
            });
    if (address == null) {
      return FileRegisterStore.openExisting(shell.state());
    }
    StoreUri uri = StoreUri.parse(address);
    if (StorePath.isDirectory(uri)) {
      return FileRegisterStore.openExisting(Path.of(uri.allow().path()));
    }
    return RegisterStore.open(uri.scheme().equals("jdbc") ? withoutCreation(uri) : address);
  }

  private static String withoutCreation(StoreUri uri) {
    String database = uri.without("ddl");
    return database + (database.contains("?") ? "&" : "?") + "ddl=false";
  }

  /** Returns an address without its secrets; the state directory if it is null. */
  private static String shown(Shell shell, @Nullable String address) {
    return address == null ? "file:" + shell.state() : StoreUri.parse(address).toString();
  }

  private static Optional<StorePath> missingPath(Shell shell, @Nullable String address) {
    return StorePath.of(shell, address).filter(StorePath::isMissing);
  }

  private static BadInput refused(Shell shell, @Nullable String address, String rule) {
    return new BadInput("store: " + shown(shell, address) + " (expected: " + rule + ")");
  }

  /** The directory, the file or the table of a store, which is not there. */
  record Missing(String description, boolean isTable) {}

  /**
   * Returns what {@link #openOrCreate} would make; empty if nothing is missing.
   *
   * @throws BadInput if it is missing and could not be made
   */
  static Optional<Missing> missing(Shell shell, @Nullable String given) {
    String address = address(shell, given);
    return valid(shell, given, () -> missingOf(shell, address));
  }

  private static Optional<Missing> missingOf(Shell shell, @Nullable String address) {
    Optional<StorePath> path = missingPath(shell, address);
    if (path.isPresent()) {
      requireMakeable(shell, address, path.get());
      return Optional.of(new Missing(path.get().kind() + " of " + shown(shell, address), false));
    }
    if (address == null) {
      return Optional.empty();
    }
    StoreUri uri = StoreUri.parse(address);
    try (RegisterStore store = open(shell, address)) {
      return store instanceof JdbcRegisterStore database && !database.hasTable()
          ? Optional.of(
              new Missing(
                  "table " + uri.parameter("table").orElse(JdbcRegisterStore.TABLE) + " of " + uri,
                  true))
          : Optional.empty();
    }
  }

  private static void requireMakeable(Shell shell, @Nullable String address, StorePath path) {
    if (!path.kind().equals("file")) {
      return;
    }
    if (!flag(shell, address, "ddl", true)) {
      throw refused(shell, address, "a file that is there; ddl=false makes none");
    }
    boolean isSqlite = String.valueOf(address).startsWith("jdbc:sqlite:"); // it makes no directory
    if (isSqlite && !path.nearest().equals(path.path().toAbsolutePath().getParent())) {
      throw refused(shell, address, "a file in a directory that is there");
    }
  }

  /** Returns the directory or the file that a write needs a right for that this process lacks. */
  static Optional<Path> unwritable(Shell shell, @Nullable String given) {
    return StorePath.of(shell, address(shell, given))
        .map(StorePath::nearest)
        .filter(there -> !Files.isWritable(there));
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
    return address == null
        ? FileRegisterStore.open(shell.state())
        : valid(shell, given, () -> RegisterStore.open(address));
  }

  /**
   * Refuses a store in the memory of this process, for a write that others are to find.
   *
   * @throws BadInput if it is one
   */
  static void requireLasting(Shell shell, @Nullable String given) {
    String address = address(shell, given);
    if (address != null) {
      valid(shell, given, () -> lasting(shell, address));
    }
  }

  private static String lasting(Shell shell, String address) {
    if (StoreUri.parse(address).scheme().equals("memory")
        || JdbcRegisterStore.isInMemory(address)) {
      throw refused(shell, address, "a store that outlives the command");
    }
    return address;
  }

  /** The work of a command with its store. */
  @FunctionalInterface
  interface Action {
    void run(RegisterStore store) throws IOException;
  }

  /**
   * Runs an action on a store, closes that and flushes the output. What the state of the store
   * refuses is a failure.
   */
  static void run(Shell shell, RegisterStore opened, Action action) throws IOException {
    try (RegisterStore store = opened) {
      action.run(store);
    } catch (IllegalStateException e) {
      throw new FirnException(String.valueOf(e.getMessage()), e);
    } catch (UnsupportedOperationException e) {
      throw new BadInput(String.valueOf(e.getMessage()));
    }
    shell.out().flush();
  }

  /**
   * Opens the store for its counters; here it may also be a table of Leaf or tinyid.
   *
   * @param check refuses what the counters of registers refuse, before a store is made
   */
  SegmentSource openSegments(Shell shell, Consumer<SegmentSource> check) {
    String address = address(shell, store);
    Matcher tables = TABLES.matcher(address == null ? "" : address);
    if (!tables.matches()) {
      check.accept(SegmentSource.of(new InMemoryRegisterStore()));
    }
    if (address == null) {
      return SegmentSource.of(openOrCreate(shell));
    }
    return valid(
        shell,
        store,
        () -> {
          if (tables.matches()) {
            requireFile("store", address, tables.group(1));
          }
          return SegmentSource.open(address);
        });
  }

  /**
   * Refuses the database of another system if its file is not there: nothing makes it.
   *
   * @param address the address as it is shown
   * @param database the address of the database in it
   */
  static void requireFile(String name, String address, String database) {
    if (JdbcRegisterStore.file(database).filter(Files::notExists).isPresent()) {
      throw new BadInput(
          name + ": " + StoreUri.hide(address) + " (expected: a file that is there)");
    }
  }

  /** Returns the given namespace, or else all of a store. */
  List<String> namespacesOf(RegisterStore store) {
    return namespace == null ? Namespace.names(store) : List.of(namespace);
  }

  /**
   * Returns the given namespace, or else all of a store.
   *
   * @throws BadInput if the given one is not there
   */
  List<String> namespacesThere(RegisterStore store) {
    if (namespace != null) {
      Namespace given = Namespace.of(store, namespace);
      if (given.layout().isEmpty() && given.workers().isEmpty()) {
        throw new BadInput(
            "namespace: "
                + namespace
                + " (expected: a namespace that a generator has used in "
                + store
                + ")");
      }
    }
    return namespacesOf(store);
  }

  /** Returns the given namespace, or one for each layout, because a namespace has one layout. */
  String namespaceFor(IdLayout layout) {
    return namespace != null
        ? namespace
        : Arguments.nameOf(layout).replaceAll("[^A-Za-z0-9._-]", "_");
  }
}
