package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.StoreUri;
import io.firn.store.WriteResult.Outcome;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcStoreProviderTest {

  /** Takes every URL with its word in it, tells what it was asked, and connects to nothing. */
  private static final class TalkativeDriver extends TestDriver {
    private final List<String> urls = new ArrayList<>();
    private final List<Properties> logins = new ArrayList<>();

    @Override
    public boolean acceptsURL(String url) {
      return url.contains("talkative");
    }

    @Override
    public Connection connect(String url, Properties login) throws SQLException {
      if (!acceptsURL(url)) {
        return null;
      }
      urls.add(url);
      logins.add(login);
      throw new SQLException("the talkative driver connects to nothing", "08001");
    }
  }

  @RegisterExtension private final TalkativeDriver driver = new TalkativeDriver();

  /** Such as a second job of a Flink cluster, with Firn and the driver in its jar. */
  @Test
  void findsADriverThatCameAfterDriverManagerLookedForThem() throws Exception {
    assertThat(DriverManager.drivers()).isNotEmpty(); // it looks for them now
    URL[] job = {
      classes(RegisterStore.class), classes(JdbcStoreProvider.class), classes(JdbcDataSource.class)
    };
    try (URLClassLoader loader = new URLClassLoader(job, ClassLoader.getPlatformClassLoader())) {
      Object store =
          Class.forName(RegisterStore.class.getName(), true, loader)
              .getMethod("open", String.class)
              .invoke(null, "jdbc:h2:mem:later");
      ((AutoCloseable) store).close();
    }
  }

  private static URL classes(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  private Properties login(String address) {
    try (RegisterStore store = RegisterStore.open(address)) {
      assertThat(driver.urls).isEmpty();
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("the talkative driver connects to nothing");
    }
    return driver.logins.get(0);
  }

  @Test
  void parametersOfItsOwnAreKeptFromTheDriver() {
    Properties login =
        login(
            "jdbc:talkative:thin:@h:1/x;a=b?one=1&table=t&timeout=2s&user=u%26&two=%20&password=p%3D"
                + "&may-forget=false");
    assertThat(driver.urls).containsExactly("jdbc:talkative:thin:@h:1/x;a=b?one=1&two=%20");
    assertThat(login).isEqualTo(Map.of("user", "u&", "password", "p="));
  }

  @Test
  void driverGetsNoAccountIfThereIsNone() {
    assertThat(login("jdbc:talkative://user:secret@h/x?one=1")).isEmpty();
    assertThat(driver.urls).containsExactly("jdbc:talkative://user:secret@h/x?one=1");
  }

  @Test
  void passwordMayComeFromAFile(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("password"), "s3cret\n");
    assertThat(login("jdbc:talkative:x?user=u&password-file=" + file))
        .isEqualTo(Map.of("user", "u", "password", "s3cret"));
    assertThat(driver.urls).containsExactly("jdbc:talkative:x");
  }

  @Test
  void passwordMayComeFromTheEnvironment() {
    assertThat(login("jdbc:talkative:x?password-env=PATH"))
        .isEqualTo(Map.of("password", System.getenv("PATH")));
    assertThatThrownBy(() -> RegisterStore.open("jdbc:talkative:x?password-env=FIRN_NOT_SET"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("password-env: FIRN_NOT_SET (expected: an environment variable that is set)");
  }

  @Test
  void connectingIsBounded() {
    Properties login = login("jdbc:mysql:talkative?user=u&timeout=1500ms");
    assertThat(Long.parseLong(login.getProperty("connectTimeout"))).isBetween(1_000L, 1_500L);
    assertThat(Long.parseLong(login.getProperty("socketTimeout"))).isBetween(1_000L, 1_500L);
    assertThat(login)
        .containsEntry("retriesAllDown", "3")
        .containsEntry("failOverReadOnly", "false")
        .containsEntry("sessionVariables", "innodb_lock_wait_timeout=1,lock_wait_timeout=1")
        .containsEntry("user", "u")
        .hasSize(6);
  }

  @Test
  void settingsOfTheDriverInTheAddressApply() {
    assertThat(login("jdbc:mysql:talkative?connectTimeout=7&retriesAllDown=8"))
        .containsOnlyKeys("socketTimeout", "failOverReadOnly", "sessionVariables");
    assertThat(driver.urls)
        .containsExactly("jdbc:mysql:talkative?connectTimeout=7&retriesAllDown=8");
  }

  @Test
  void knownDriversGetWhatTheyNeed() {
    assertThat(KnownDriver.of("jdbc:postgresql:x")).contains(KnownDriver.POSTGRESQL);
    assertThat(KnownDriver.of("jdbc:postgresqlx:x")).isEmpty();
    assertThat(KnownDriver.of("jdbc:oracle:thin:@h:1/x")).isEmpty();
    assertThat(KnownDriver.POSTGRESQL.settings("jdbc:postgresql://h/d?a=b,c", 1_500, 3_000))
        .isEqualTo(Map.of("loginTimeout", "1.5", "connectTimeout", "2"));
    assertThat(KnownDriver.MARIADB.settings("jdbc:mariadb://h/d", 1_500, 3_000))
        .containsOnlyKeys("connectTimeout", "socketTimeout", "retriesAllDown", "sessionVariables")
        .containsEntry("sessionVariables", "innodb_lock_wait_timeout=2,lock_wait_timeout=2");
    assertThat(KnownDriver.SQLITE.settings("jdbc:sqlite:x", 1_500, 3_000))
        .isEqualTo(Map.of("synchronous", "EXTRA", "busy_timeout", "3000"));
    assertThat(KnownDriver.H2.settings("jdbc:h2:mem:x", 1_500, 3_000)).isEmpty();
  }

  @Test
  void serverOfH2IsBoundedToo() {
    assertThat(KnownDriver.H2.settings("jdbc:h2:tcp://h/x", 1_500, 3_000))
        .isEqualTo(Map.of("NETWORK_TIMEOUT", "3000"));
    assertThat(KnownDriver.H2.settings("jdbc:h2:ssl://h/x;network_timeout=1", 1_500, 3_000))
        .isEmpty();
  }

  @Test
  void ofSeveralHostsThePrimaryIsFound() {
    assertThat(KnownDriver.POSTGRESQL.settings("jdbc:postgresql://a,b:1/d", 1_500, 3_000))
        .containsEntry("targetServerType", "primary");
    assertThat(KnownDriver.MYSQL.settings("jdbc:mysql://a,b/d", 1_500, 3_000))
        .containsEntry("failOverReadOnly", "false");
  }

  @ParameterizedTest
  @CsvSource({
    "'jdbc:mysql://a/d', 3000",
    "'jdbc:mysql://a:1/d?x=y,z', 3000",
    "'jdbc:mysql://a:1,b:2/d?x=y,z', 1500",
    "'jdbc:mysql://a,b,c', 1000",
    "'jdbc:mysql://(host=a,port=1)/d', 3000",
    "'jdbc:mysql://(host=a,port=1),(host=b,port=2)/d', 1500",
    "'jdbc:mysql:loadbalance://address=(host=a)(port=1),address=(host=b)/d', 1500",
  })
  void eachHostHasItsShareOfTheTime(String url, String millis) {
    assertThat(KnownDriver.MYSQL.settings(url, 3_000, 3_000))
        .containsEntry("connectTimeout", millis)
        .containsEntry("socketTimeout", millis);
  }

  @Test
  void newPasswordIsTakenAtTheNextConnect(@TempDir Path directory) throws IOException {
    Path file = Files.writeString(directory.resolve("password"), "old");
    try (RegisterStore store =
        RegisterStore.open("jdbc:talkative:x?user=u&password-file=" + file)) {
      assertThatThrownBy(() -> store.read("a")).isInstanceOf(StoreException.class);
      Files.writeString(file, "new");
      assertThatThrownBy(() -> store.read("a")).isInstanceOf(StoreException.class);
      Files.delete(file);
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("password-file: " + file);
    }
    assertThat(driver.logins.stream().map(login -> login.getProperty("password")))
        .containsExactly("old", "new");
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:mysqlx://h/x, the database's own",
    "jdbc:mysql:x, com.mysql:mysql-connector-j",
    "jdbc:postgresql://h:0/x, org.postgresql:postgresql",
  })
  void missingDriverIsNamed(String address, String artifact) {
    assertThatThrownBy(() -> RegisterStore.open(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "store: "
                + StoreUri.hide(address)
                + " (expected: an address for a driver on the class path, such as "
                + artifact
                + ")");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "yes", "TRUE", "1"})
  void mayForgetIsTrueOrFalse(String value) {
    assertThatThrownBy(() -> RegisterStore.open("jdbc:talkative:x?may-forget=" + value))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("may-forget: " + value + " (expected: true or false)");
  }

  @Test
  void parametersOfTheStoreAreCheckedWhenItIsOpened() {
    assertThatThrownBy(() -> RegisterStore.open("jdbc:talkative:x?table=a-b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("table: a-b (expected: ");
    assertThatThrownBy(() -> RegisterStore.open("jdbc:talkative:x?timeout=0ms"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("timeout: 0ms (expected: ");
  }

  @Test
  void timeoutIsAMillisecondToAMinute() {
    for (long right : List.of(1L, 2L, 59_999L, 60_000L)) {
      JdbcRegisterStore.builder(new JdbcDataSource()).timeout(Duration.ofMillis(right));
    }
    JdbcRegisterStore.Builder builder = JdbcRegisterStore.builder(new JdbcDataSource());
    for (Duration wrong :
        List.of(Duration.ofNanos(1), Duration.ofNanos(999_999), Duration.ofSeconds(-1))) {
      assertThatThrownBy(() -> builder.timeout(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("timeout: " + wrong + " (expected: 1ms..1m)");
    }
    assertThatThrownBy(() -> builder.timeout(Duration.ofMillis(60_001)))
        .hasMessage("timeout: 60001ms (expected: 1ms..1m)");
  }

  @Test
  void accountIsGivenOnce() {
    for (String twice : List.of("?password=two", "?user=app", "?password-env=PATH")) {
      assertThatThrownBy(() -> RegisterStore.open("jdbc:talkative://app:one@db/app" + twice))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("(expected: one user and one password")
          .hasMessageNotContaining("one@")
          .hasMessageNotContaining("two");
    }
    RegisterStore.open("jdbc:talkative://app:one@db/app").close();
    RegisterStore.open("jdbc:talkative://db/app?user=a@b//c@d").close();
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:postgresql://u:geheim@127.0.0.1/f, jdbc:postgresql://***@127.0.0.1/f",
    "jdbc:postgresql://u:geheim/x@127.0.0.1:1/f, jdbc:postgresql://***@127.0.0.1:1/f",
    "jdbc:mariadb://u:geheim@127.0.0.1/f, jdbc:mariadb://***@127.0.0.1/f",
    "jdbc:mariadb://u:geheim/x@127.0.0.1:1/f, jdbc:mariadb://***@127.0.0.1:1/f",
    "JDBC:MariaDB://u:geheim/x@127.0.0.1:1/f, JDBC:MariaDB://***@127.0.0.1:1/f",
    "jdbc:mariadb:u:geheim@h/x, jdbc:mariadb:***@h/x",
    "jdbc:mariadb:u:geheim@h/x?timeout=1s, jdbc:mariadb:***@h/x?timeout=1s",
    "jdbc:mysql://u:geheim/x@h/f, jdbc:mysql://***@h/f",
    "jdbc:mysql:replication://u:geheim@h/f, jdbc:mysql:replication://***@h/f",
    "jdbc:h2:tcp://u:geheim@127.0.0.1:1/x, jdbc:h2:tcp://***@127.0.0.1:1/x",
    "jdbc:h2:ssl://u:geheim@127.0.0.1:1/x;USER=a, jdbc:h2:ssl://***@127.0.0.1:1/x;USER=a",
    "jdbc:mariadb://u:geheim/x, jdbc:mariadb://u:***",
    "'jdbc:postgresql://h:1,u:geheim/x', 'jdbc:postgresql://h:1,u:***'",
    "jdbc:h2:tcp://u:geheim/x, jdbc:h2:tcp://u:***",
  })
  void secretBeforeTheParametersIsRefusedBeforeADriverSeesIt(String address, String shown) {
    assertThatThrownBy(() -> RegisterStore.open(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("store: " + shown + " (expected: ")
        .hasMessageEndingWith("user and password as parameters, for this driver)")
        .hasNoCause();
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " -> ",
      value = {
        "jdbc:mysql://(host=h,port=1,user=a,password=geheim)/d?user=c&password=d"
            + " -> jdbc:mysql://(host=h,port=1,user=a,password=***)/d?user=c&password=***",
        "jdbc:mysql://address=(host=h)(port=1)(user=a)(password=geheim)/d?password=d"
            + " -> jdbc:mysql://address=(host=h)(port=1)(user=a)(password=***)/d?password=***",
        "jdbc:mysql://address=(host=h)(user=a)(user=z)(password=geheim)/d"
            + " -> jdbc:mysql://address=(host=h)(user=a)(user=z)(password=***)/d",
        "jdbc:mysql://(host=h, USER = a)/d -> jdbc:mysql://(host=h, USER = a)/d",
        "jdbc:mysql://h,(PassWord=geheim)/d -> jdbc:mysql://h,(PassWord=***)/d",
        "jdbc:mysql://(host=h,password2=geheim)/d -> jdbc:mysql://(host=h,password2=***)/d",
        "jdbc:mysql://(host=h,p%61ssword=geheim)/d -> jdbc:mysql://(host=h,p%61ssword=***)/d",
        "jdbc:mysql://(host=h,%75ser=geheim)/d -> jdbc:mysql://(host=h,%75ser=***)/d",
        "jdbc:mysql:replication://[(host=h,user=a),address=(password=geheim)]/d"
            + " -> jdbc:mysql:replication://[(host=h,user=a),address=(password=***)]/d",
        "jdbc:mariadb://address=(host=h)(user=a)(password=geheim)/d?user=c&password=d"
            + " -> jdbc:mariadb://address=(host=h)(user=a)(password=***)/d?user=c&password=***",
      })
  void accountInThePartsOfAHostIsRefused(String address, String shown) {
    assertThatThrownBy(() -> RegisterStore.open(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "store: " + shown + " (expected: user and password as parameters, for this driver)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:postgresql://127.0.0.1:1/x", "jdbc:mariadb://127.0.0.1:1/x"})
  void saysInWordsThatADatabaseIsDown(String address) {
    try (RegisterStore store = RegisterStore.open(address)) {
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageMatching("Store .* failed after .*127\\.0\\.0\\.1:1.*refused.*")
          .hasMessageNotContaining("Exception");
    }
  }

  @Test
  void h2LogsNoErrorThatTheStoreExpects(@TempDir Path directory) {
    String url = "jdbc:h2:" + directory.resolve("x");
    try (RegisterStore store = RegisterStore.open(url)) {
      assertThat(store.compareAndSet("a", 0, "one").outcome()).isEqualTo(Outcome.APPLIED);
      assertThat(store.compareAndSet("a", 0, "two").outcome()).isEqualTo(Outcome.CONFLICT);
    }
    assertThat(directory.resolve("x.trace.db")).doesNotExist();
    try (RegisterStore store = RegisterStore.open(url + ";trace_level_file=1?table=b")) {
      assertThat(store.read("a")).isEmpty();
    }
    assertThat(directory.resolve("x.trace.db")).exists();
  }

  /** H2 would refuse one who sets what only an administrator may. */
  @Test
  void userOfH2NeedNotBeItsAdministrator(@TempDir Path directory) throws SQLException {
    String url = "jdbc:h2:" + directory.resolve("x");
    try (Connection connection = DriverManager.getConnection(url, "sa", "");
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE USER app PASSWORD 'geheim'");
      statement.execute("GRANT ALTER ANY SCHEMA TO app");
    }
    for (String account : List.of("?user=app&password=geheim", ";USER=app;PASSWORD=geheim")) {
      try (RegisterStore store = RegisterStore.open(url + account)) {
        assertThat(store.read("a")).isEmpty();
      }
    }
  }

  @Test
  void fileMayHaveAnAtInItsName(@TempDir Path directory) {
    for (String address :
        List.of(
            "jdbc:sqlite:" + directory.resolve("a@b:c.db"),
            "jdbc:h2:" + directory.resolve("a@b"),
            "jdbc:h2:file:" + directory.resolve("c@d") + ";USER=a@b")) {
      try (RegisterStore store = RegisterStore.open(address)) {
        assertThat(store.read("a")).isEmpty();
      }
    }
    RegisterStore.open("jdbc:h2:tcp://[::1]:9092/x;USER=a@b;PASSWORD=c:d").close();
    RegisterStore.open("jdbc:postgresql://[::1],h:5432/x?user=a@b").close();
    RegisterStore.open("jdbc:mariadb://address=(host=h)(port=1)/x?user=a@b").close();
  }

  @ParameterizedTest
  @CsvSource({
    "jdbc:sqlite:, jdbc:sqlite:FILE",
    "'jdbc:sqlite: ', jdbc:sqlite:FILE",
    "'jdbc:h2:mem: ', jdbc:h2:mem:NAME",
    "jdbc:sqlite:?timeout=1s, jdbc:sqlite:FILE",
    "jdbc:sqlite::memory:, jdbc:sqlite:FILE",
    "JDBC:SQLite::memory:?cache=shared, jdbc:sqlite:FILE",
    "jdbc:sqlite::resource:x.db, jdbc:sqlite:FILE",
    "jdbc:h2:mem:, jdbc:h2:mem:NAME",
    "JDBC:H2:MEM:;DB_CLOSE_DELAY=-1, jdbc:h2:mem:NAME",
    "jdbc:h2:mem:?timeout=1s, jdbc:h2:mem:NAME",
    "jdbc:h2:tcp://localhost/mem:, jdbc:h2:mem:NAME",
  })
  void databaseOfOneConnectionIsNoStore(String address, String rule) {
    assertThatThrownBy(() -> RegisterStore.open(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("store: " + address.substring(0, 9))
        .hasMessageEndingWith(
            "(expected: " + rule + ", because each connection would have a database of its own)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:sqlite:file:/var/lib/app/firn.db",
        "JDBC:SQLite:FILE:x.db",
        "jdbc:sqlite:file::memory:?cache=shared",
        "jdbc:sqlite:file:x?mode=memory&cache=shared",
        "jdbc:sqlite:file:/x?vfs=memdb",
      })
  void uriOfSqliteIsNoStore(String address) {
    assertThatThrownBy(() -> RegisterStore.open(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("store: " + address.substring(0, 17))
        .hasMessageEndingWith(
            "(expected: jdbc:sqlite:FILE with the path without file:, because parameters of a URI"
                + " may make it a database in memory)");
  }

  @Test
  void addressIsShownWithoutItsSecrets() {
    showsNoSecret("joe:secret@h/x?table=t", "***@h/x?table=t");
    showsNoSecret("h/x?password=secret&table=t", "h/x?password=***&table=t");
  }

  private static void showsNoSecret(String address, String shown) {
    try (RegisterStore store = RegisterStore.open("jdbc:talkative://" + address)) {
      assertThat(store).hasToString("jdbc:talkative://" + shown);
      assertThatThrownBy(() -> store.read("a")).hasMessageNotContaining("secret");
    }
  }
}
