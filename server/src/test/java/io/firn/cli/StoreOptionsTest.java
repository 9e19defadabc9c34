package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose store is a directory. */
final class StoreOptionsTest {

  private final Session session = new Session();

  @TempDir private Path directory;

  static Stream<String> looks() {
    return Stream.of(
        "adopt list 1 --store %s --namespace orders",
        "blocks --store %s",
        "blocks forget job --store %s --namespace orders",
        "decode --store %s --namespace orders 1",
        "doctor %s",
        "layout show orders --store %s",
        "regions %1$s %1$s-other",
        "segments --store %s",
        "adopt list 1 --apply --store %s --namespace orders",
        "store after-loss %s wait --namespace orders",
        "store home %s --datacenters 1 --namespace orders",
        "store restored %s",
        "store settle-time %s 2m --namespace orders",
        "top -n 1 --store %s",
        "watermark orders --store %s",
        "workers --store %s",
        "workers reserve 1 --for leaf --store %s --namespace orders",
        "workers release 1 --store %s --namespace orders --newest-id 1");
  }

  @ParameterizedTest
  @MethodSource("looks")
  void doNotMakeADirectoryToLookAtIt(String command) {
    Path missing = directory.resolve("missing");
    String address = "file:" + missing;
    int code = session.run(command.formatted(address).split(" "));
    assertThat(session.err())
        .startsWith(
            "firn: store: "
                + address
                + " (expected: a directory that is there; firn serve, firn next or firn workers"
                + " reserve --layout makes one)\n");
    assertThat(code).isEqualTo(2);
    assertThat(directory).isEmptyDirectory();
  }

  /** Returns all but the doctor, whose check is a write too. */
  static Stream<String> looksThatDoNotWrite() {
    return looks().filter(command -> !command.startsWith("doctor"));
  }

  @ParameterizedTest
  @MethodSource("looksThatDoNotWrite")
  void makeNoFileInADirectoryThatIsNoStore(String command) {
    session.run(command.formatted("file:" + directory).split(" "));
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void needNoRightToWriteToLookAtADirectory() throws IOException {
    String address = "file:" + directory;
    assertThat(session.run("next", "--store", address, "--namespace", "orders")).isZero();
    Path lock = directory.resolve("lock");
    Files.delete(lock);
    Files.createDirectory(lock); // nothing can be written into it, whatever the user's rights
    for (String command :
        List.of(
            "workers --store %s",
            "top -n 1 --store %s",
            "segments --store %s",
            "blocks --store %s",
            "layout show orders --store %s",
            "decode --store %s 1",
            "adopt list 1 --store %s --namespace orders")) {
      assertThat(session.run(command.formatted(address).split(" "))).as(session.err()).isZero();
    }
    assertThat(session.out()).contains("orders: 0 held\n").contains("would reserve in orders: 1\n");
    assertThat(
            session.run(
                "workers", "reserve", "1", "--for=x", "--namespace=orders", "--store", address))
        .isEqualTo(1);
    assertThat(session.err())
        .contains("firn: Store " + address + " could not write orders+worker+1.register: ");
  }

  @Test
  void takeTheStoreOfTheVariableUnlessAnOptionNamesOne() {
    Path set = directory.resolve("set");
    session.environment(Map.of("FIRN_STORE", "file:" + set));
    for (String command :
        List.of(
            "next --namespace orders",
            "next --segment invoices",
            "workers reserve 7 --for x --namespace orders",
            "segments",
            "top -n 1",
            "workers")) {
      assertThat(session.run(command.split(" "))).as(session.err()).isZero();
    }
    assertThat(session.out())
        .contains("orders: 1 worker ID is reserved for x: 7\n", "  invoices\n", "\norders: 0 held")
        .contains("\nfile:" + set + "  ");

    Path other = directory.resolve("other");
    assertThat(session.run("next", "--store", "file:" + other)).isZero();
    assertThat(other.resolve("classic+layout.register")).exists();
    assertThat(set.resolve("classic+layout.register")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"decode 1", "next --worker 7", "next --type uuid7"})
  void askNoStoreOfTheVariableWhereTheyNeedNone(String command) {
    session.environment(Map.of("FIRN_STORE", "tape:"));
    assertThat(session.run(command.split(" "))).as(session.err()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "next | bogus | store: bogus (expected: SCHEME:ADDRESS, as file:DIR; FIRN_STORE)",
        "next --segment k | leaf:jdbc:h2:/x/y | store: leaf:jdbc:h2:/x/y (expected: a file that is"
            + " there; FIRN_STORE)",
        "workers | bogus | store: bogus (expected: SCHEME:ADDRESS, as file:DIR; FIRN_STORE)",
        "workers | memory:?sync=no | sync: in memory:?sync=*** (expected: no parameters;"
            + " FIRN_STORE)",
        "workers | file:/x/y | store: file:/x/y (expected: a directory that is there; firn serve,"
            + " firn next or firn workers reserve --layout makes one; FIRN_STORE)",
        "adopt twitter 0 --namespace n | jdbc:h2:/x/y?ddl=false | store: jdbc:h2:/x/y?ddl=false"
            + " (expected: a file that is there; ddl=false makes none; FIRN_STORE)",
        "serve --print-config | bogus | store: bogus (expected: SCHEME:ADDRESS, as file:DIR;"
            + " FIRN_STORE)",
      })
  void nameTheVariableThatHasAWrongStore(String command, String store, String message) {
    session.environment(Map.of("FIRN_STORE", store));
    assertThat(session.run(command.split(" "))).isEqualTo(2);
    assertThat(session.err()).startsWith("firn: " + message + "\n");
    assertThat(session.run("workers", "--store", "bogus")).isEqualTo(2);
    assertThat(session.err())
        .contains("firn: store: bogus (expected: SCHEME:ADDRESS, as file:DIR)\n");
  }

  /** The store would be the state directory, which nobody meant. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "next",
        "next --segment k",
        "next --block 5",
        "workers",
        "workers reserve 0 --for x --namespace n",
        "layout show n",
        "adopt twitter 0 --namespace n",
        "segments",
        "blocks",
        "top",
        "watermark n",
        "decode --namespace n 1",
        "serve --check",
      })
  void refuseAMisspelledVariableInPlaceOfTheStore(String command) {
    for (String variable : List.of("FIRN_STROE", "FIRN_STORES")) {
      Session mistaken = new Session().environment(Map.of(variable, "file:" + directory));
      assertThat(mistaken.run(command.split(" "))).isEqualTo(2);
      assertThat(mistaken.err())
          .startsWith("firn: " + variable + ": unknown (expected: FIRN_STORE; environment)\n");
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void takeNoOtherVariableForTheStoresOne() {
    session
        .state(directory.resolve("state"))
        .environment(
            Map.of(
                "FIRN_TOKEN", "t",
                "FIRN_PORT", "tcp://10.0.0.1:7608",
                "FIRN_LAYOUT", "classic",
                "FIRN_STORE_PASSWORD", "p"));
    assertThat(session.run("next")).as(session.err()).isZero();
    session.environment(Map.of("FIRN_STORES", "file:" + directory));
    assertThat(session.run("next", "--store", "memory:")).as(session.err()).isZero();
    assertThat(session.run("next", "--worker", "7")).as(session.err()).isZero();
  }

  @Test
  void takeTheDatabaseOfTheVariableForItsSql() {
    session.environment(Map.of("FIRN_STORE", "jdbc:mariadb://127.0.0.1:1/ids?password=secret"));
    assertThat(session.run("sql", "mariadb", "--namespace", "orders", "--worker", "7"))
        .isEqualTo(1);
    assertThat(session.err())
        .startsWith("firn: Store jdbc:mariadb://127.0.0.1:1/ids?password=*** failed after ");
  }

  @Test
  void doNotMakeTheStateDirectoryToLookAtIt() {
    Path state = directory.resolve("state");
    session.state(state);
    assertThat(session.run("workers")).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: store: file:" + state + " (expected: a directory that is there; ");
    assertThat(directory).isEmptyDirectory();
    assertThat(session.run("next")).isZero();
    assertThat(session.run("workers")).isZero();
  }

  @ParameterizedTest
  @MethodSource("looks")
  void doNotMakeATableToLookAtIt(String command) throws SQLException {
    String url = "jdbc:h2:" + directory.resolve("empty");
    try (Connection database = DriverManager.getConnection(url)) {
      assertThat(session.run(command.formatted(url).split(" "))).isIn(1, 2, 3);
      try (ResultSet tables = database.getMetaData().getTables(null, "PUBLIC", null, null)) {
        assertThat(tables.next()).isFalse();
      }
    }
    assertThat(session.err())
        .startsWith("firn: Store " + url + " has no table firn_register: ")
        .contains("If it was dropped, restore it, because an empty one shows every worker ID");
  }

  @Test
  void doNotMakeADatabaseToLookAtIt() {
    String address = "jdbc:sqlite:" + directory.resolve("none.db") + "?ddl=true&timeout=20s";
    assertThat(session.run("workers", "--store", address)).isEqualTo(2);
    assertThat(session.err())
        .startsWith(
            "firn: store: "
                + address
                + " (expected: a file that is there; firn serve, firn next or firn workers reserve"
                + " --layout makes one)\n");
    for (String h2 : List.of("jdbc:h2:%s/none", "jdbc:h2:file:%s/none;MODE=MySQL")) {
      Session other = new Session();
      assertThat(other.run("workers", "--store", h2.formatted(directory))).isEqualTo(2);
      assertThat(other.err())
          .startsWith("firn: store: " + h2.formatted(directory) + " (expected: a file that is ");
    }
    assertThat(directory).isEmptyDirectory();
  }

  /** A driver would make the database of an address that is mistyped. */
  @ParameterizedTest
  @CsvSource({
    "adopt uid-generator %s --layout game --namespace n --store file:pom, jdbc:h2:, source",
    "adopt uid-generator %s --layout game --namespace n --store file:pom, jdbc:sqlite:, source",
    "adopt cosid %s --group shop --namespace n --store file:pom, jdbc:sqlite:, source",
    "next --segment k --store %s, leaf:jdbc:h2:, store",
    "next --segment k --store %s, tinyid:jdbc:h2:file:, store",
    "next --segment k --store %s, pooled:jdbc:h2:, store",
    "next --segment k --store %s, leaf:jdbc:sqlite:, store",
  })
  void neverMakeASource(String command, String scheme, String name) {
    String source = scheme + directory.resolve("mistyped");
    assertThat(session.run(command.formatted(source).split(" "))).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: " + name + ": " + source + " (expected: a file that is there)\n");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void adoptMakesTheDatabaseThatItsDryRunNames() {
    for (String address : List.of("jdbc:h2:%s/h2/new", "jdbc:sqlite:%s/new.db", "file:%s/a/b")) {
      String store = address.formatted(directory);
      String adopt = "adopt list 3 --layout leaf --namespace orders --store " + store;
      Session dry = new Session();
      assertThat(dry.run(adopt.split(" "))).as(dry.err()).isZero();
      assertThat(dry.out()).contains(" of " + store + ", which is not there\n");
      Session applied = new Session();
      assertThat(applied.run((adopt + " --apply").split(" "))).as(applied.err()).isZero();
      assertThat(applied.out()).contains("orders: 1 worker ID is reserved for an old system: 3\n");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:sqlite:%s/new.db?ddl=false, a file that is there; ddl=false makes none",
    "jdbc:h2:%s/new?ddl=false, a file that is there; ddl=false makes none",
    "jdbc:sqlite:%s/none/new.db, a file in a directory that is there",
  })
  void aDryRunOfAdoptRefusesAStoreThatApplyCouldNotMake(String address, String rule) {
    String store = address.formatted(directory);
    for (String apply : List.of("", " --apply")) {
      Session adopt = new Session();
      String words = "adopt list 3 --layout leaf --namespace orders --store " + store + apply;
      assertThat(adopt.run(words.split(" "))).isEqualTo(2);
      assertThat(adopt.err()).startsWith("firn: store: " + store + " (expected: " + rule + ")\n");
    }
    assertThat(directory).isEmptyDirectory();
  }

  @ParameterizedTest
  @ValueSource(strings = {"file:%s", "file:%s/none/here", "jdbc:h2:%s/new", "jdbc:sqlite:%s/new"})
  void aDryRunOfAdoptSaysThatApplyNeedsTheRightToWrite(String address) {
    Path readOnly = readOnlyDirectory();
    String store = address.formatted(readOnly);
    String adopt = "adopt list 3 --layout leaf --namespace orders --store " + store;
    assertThat(session.run(adopt.split(" "))).as(session.err()).isZero();
    assertThat(session.out())
        .endsWith(
            "nothing was written; --apply needs the right to write to "
                + readOnly
                + ", which this process does not have\n");
  }

  /** Root may write everywhere, but in a container not to the settings of the kernel. */
  private Path readOnlyDirectory() {
    assertThat(directory.toFile().setWritable(false)).isTrue();
    Path readOnly = Files.isWritable(directory) ? Path.of("/proc/sys") : directory;
    assumeThat(readOnly).isDirectory().matches(path -> !Files.isWritable(path));
    return readOnly;
  }

  @AfterEach
  void letTheDirectoryBeDeleted() {
    assertThat(directory.toFile().setWritable(true)).isTrue();
  }

  @Test
  void showAnAddressWithoutAParameterThatTheUserDidNotGive() {
    assertThat(session.run("workers", "--store", "jdbc:postgresql://u:p@h/x")).isEqualTo(2);
    assertThat(session.err())
        .startsWith(
            "firn: store: jdbc:postgresql://***@h/x (expected: user and password as parameters,");
  }

  @Test
  void sayThatAFileIsNoDirectory() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    for (String command : List.of("workers", "next")) {
      Session refused = new Session();
      assertThat(refused.run(command, "--store", "file:" + file)).isEqualTo(1);
      assertThat(refused.err()).contains(": " + file + " is a file; give the process a directory");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "next --worker 5000 | worker: 5000 ",
        "next --instance \u65e5\u672c | instance: \u65e5\u672c ",
        "next --namespace a/b | namespace: a/b ",
        "next --segment a/b | key: a/b ",
        "next --segment k --step 0 | step: 0 "
      })
  void makeNoDirectoryForIdsThatAreRefused(String command, String message) {
    String address = "file:" + directory.resolve("new");
    assertThat(session.run((command + " --store " + address).split(" "))).isEqualTo(2);
    assertThat(session.err()).startsWith("firn: " + message);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void makeTheStoreWhoseCounterIsRaised() {
    for (String address :
        List.of("file:%s/raised", "jdbc:h2:%s/raised", "jdbc:sqlite:%s/raised.db")) {
      String store = address.formatted(directory);
      int code = session.run("segments", "--raise", "invoices=100000", "--store", store);
      assertThat(code).as(session.err()).isZero();
      assertThat(session.run("next", "--segment", "invoices", "--store", store)).isZero();
      assertThat(session.out()).endsWith("\n100000\n");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "segments --raise orders=-1, number: -1 ",
    "workers reserve 5000 --for x --layout leaf --namespace orders, workers: 5000 ",
    "workers reserve 5 --for \u00e4 --layout leaf --namespace orders, for: \u00e4 ",
    "workers reserve 5 --for x --layout leaf --until 2020-01-01 --namespace orders, until: 2020-",
    "adopt list 5000 --layout leaf --apply --namespace orders, workers: 5000 ",
    "adopt list 5000 --layout leaf --namespace orders, workers: 5000 ",
    "adopt twitter 0 --for \u00e4 --apply --namespace orders, for: \u00e4 ",
    "adopt twitter 0 --until 2020-01-01 --apply --namespace orders, until: 2020-",
    "adopt twitter 40 --apply --namespace orders, workers: 1280-1311 ",
  })
  void makeNoStoreForWhatIsRefused(String command, String message) {
    String address = "jdbc:sqlite:" + directory.resolve("new.db");
    assertThat(session.run((command + " --store " + address).split(" "))).isEqualTo(2);
    assertThat(session.err()).startsWith("firn: " + message);
    assertThat(directory).isEmptyDirectory();
  }

  @ParameterizedTest
  @CsvSource({
    "next --max-lead 16s, max-lead: 16s ",
    "next --layout baidu, layout: ",
    "next --sequence-start random(99999), sequence-start: random(99999) ",
    "next --next-layout classic, next-layout: ",
    "next --layout 41t+10w+12s@2090-01-01T00:00:00Z/1ms, epoch: 2090-",
    "next --block 0, size: 0 ",
    "next --block 0 --namespace orders, size: 0 ",
    "next --block 10 --layout baidu, layout: ",
    "next --block 10 --namespace a@b, namespace: a@b ",
    "next --block 99999999999999 --layout js_safe, size: 99999999999999 ",
    "next --block 10 --layout 41t+10w+12s@2090-01-01T00:00:00Z/1ms, epoch: 2090-",
    "serve --check --defaults-max-lead 20s, max-lead: 20s ",
    "serve --check --defaults-layout baidu, layout: ",
    "serve --check --defaults-sequence-start random(99999), sequence-start: ",
    "serve --check --defaults-next-layout classic, next-layout: ",
  })
  void makeNothingForSettingsThatAreRefused(String command, String message) {
    for (String store :
        List.of("file:%s/new", "file:%s", "jdbc:sqlite:%s/new.db", "jdbc:h2:%s/n")) {
      String address = store.formatted(directory);
      assertThat(session.run((command + " --store " + address).split(" "))).isEqualTo(2);
      assertThat(session.err()).startsWith("firn: " + message).contains(" (expected: ");
      assertThat(directory).as(store).isEmptyDirectory();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "segments --raise a=5",
        "workers reserve 5 --for x --layout leaf --namespace orders",
        "workers reserve 5 --for x --namespace orders",
        "adopt list 5 --layout leaf --namespace orders --apply",
        "adopt twitter 0 --namespace orders",
      })
  void refuseToWriteWhatEndsWithTheCommand(String command) {
    String rule = " (expected: a store that outlives the command";
    for (String store :
        List.of(
            "memory:", "jdbc:h2:mem:x", "JDBC:H2:MEM:x;DB_CLOSE_DELAY=-1", "jdbc:h2:nioMemFS:x")) {
      Session given = new Session();
      assertThat(given.run((command + " --store " + store).split(" "))).isEqualTo(2);
      assertThat(given.out()).isEmpty();
      assertThat(given.err())
          .startsWith("firn: store: " + store.replaceFirst("DELAY=.*", "DELAY=***") + rule + ")\n");
    }
    Session variable = new Session().environment(Map.of("FIRN_STORE", "memory:"));
    assertThat(variable.run(command.split(" "))).isEqualTo(2);
    assertThat(variable.err()).startsWith("firn: store: memory:" + rule + "; FIRN_STORE)\n");
  }

  @Test
  void makeNothingForAServerWhosePortIsInUse() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String port = "--listen-http=127.0.0.1:" + other.getLocalPort();
      String store = "--store=file:" + directory.resolve("new");
      assertThat(session.run("serve", port, store)).isEqualTo(1);
      assertThat(session.err()).startsWith("firn: Cannot listen at 127.0.0.1:");
      assertThat(directory).isEmptyDirectory();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "file:%s/new, directory of file:%s/new",
    "jdbc:sqlite:%s/new.db, file of jdbc:sqlite:%s/new.db",
    "jdbc:h2:%s/new, table firn_register of jdbc:h2:%s/new",
  })
  void makeNoStoreForADryRunThatSaysWhatItWouldMake(String address, String missing)
      throws SQLException {
    String store = address.formatted(directory);
    if (store.startsWith("jdbc:h2:")) {
      DriverManager.getConnection(store).close();
    }
    List<String> before = files();
    List<String> command = List.of("adopt", "twitter", "0", "--store", store, "--namespace=orders");
    assertThat(session.run(command.toArray(String[]::new))).as(session.err()).isZero();
    assertThat(session.out())
        .contains("\nwould reserve in orders: 0-31\n")
        .contains("\nwould create the " + missing.formatted(directory) + ", which is not there")
        .endsWith("nothing was written; --apply writes it\n");
    assertThat(files()).isEqualTo(before);
  }

  private List<String> files() {
    return List.of(Objects.requireNonNull(directory.toFile().list()));
  }

  @Test
  void makeTheDirectoryThatAGeneratorIsToUse() {
    Path first = directory.resolve("first");
    String reserve = "workers reserve 0 --namespace orders --layout leaf --for leaf --store file:";
    assertThat(session.run((reserve + first).split(" "))).isZero();
    assertThat(session.run("next", "--store", "file:" + directory.resolve("second"))).isZero();
    assertThat(first).isDirectory();
  }
}
