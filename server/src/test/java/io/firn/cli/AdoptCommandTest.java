package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.WorkerSet;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.FileRegisterStore;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.RedisServer;
import io.firn.testservers.ZooKeeperServers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** Each system's own store, filled by the statements and calls of that system. */
final class AdoptCommandTest {

  private static final List<ACL> EVERYBODY =
      Collections.singletonList(new ACL(31, new Id("world", "anyone")));

  @TempDir Path directory;

  private Session adopt(int code, String... arguments) {
    List<String> all = new ArrayList<>(List.of("adopt"));
    all.addAll(Arrays.asList(arguments));
    all.addAll(List.of("--store", "file:" + directory, "--namespace", "orders"));
    Session session = new Session();
    assertThat(session.run(all.toArray(String[]::new))).as(session.err()).isEqualTo(code);
    return session;
  }

  private WorkerSet reserved(String by) {
    return WorkerSet.of(
        Namespace.of(FileRegisterStore.open(directory), "orders").workers().stream()
            .filter(entry -> entry.reserved() && entry.holder().equals(by))
            .mapToLong(WorkerEntry::worker));
  }

  /** Reserved there, the namespace would have a layout in which no ID can be issued. */
  @Test
  void aLayoutThatHasEndedIsRefusedAlsoInTheDryRun() {
    for (String apply : List.of("--spare=0", "--apply")) {
      assertThat(adopt(2, "list", "0-9", "--layout", "baidu", apply).err())
          .startsWith(
              "firn: layout: 28t+22w+13s@2016-05-19T16:00:00Z/1s (expected: a layout that has not"
                  + " ended; it ended on 2024-11-20T13:24:16Z)\n");
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void adoptsAList() {
    assertThat(adopt(0, "list", "0-9,12", "--layout", "twitter").out())
        .isEqualTo(
            """
            found 11 worker numbers of an old system: 0-9,12; layout twitter
            would reserve in orders: 0-9,12
            nothing was written; --apply writes it
            """);
    assertThat(Namespace.of(FileRegisterStore.open(directory), "orders").layout()).isEmpty();
    for (int again = 0; again < 2; again++) {
      assertThat(adopt(0, "list", "0-9,12", "--layout", "twitter", "--apply").out())
          .endsWith("orders: 11 worker IDs are reserved for an old system: 0-9,12\n");
    }
    assertThat(reserved("an old system")).hasToString("0-9,12");
  }

  @Test
  void failsWhereTheOtherSystemDoesNotAnswer() {
    for (String source : List.of("redis://127.0.0.1:1", "jdbc:mariadb://127.0.0.1:1/app")) {
      assertThat(adopt(1, "cosid", source, "--group", "shop").err())
          .startsWith("firn: Source " + source)
          .hasLineCount(1);
    }
  }

  @Test
  void saysInWordsThatZooKeeperDoesNotAnswer() {
    String source = "zookeeper://127.0.0.1:1?timeout=300ms";
    assertThat(adopt(1, "leaf", source, "--group", "shop").err())
        .startsWith("firn: Store " + source + " failed after ")
        .endsWith(" ms: no answer in time\n");
  }

  @Test
  void refusesADatabaseWithoutADriverAndPrintsNoSecretOfItsAddress() {
    String source = "jdbc:mysql://127.0.0.1:1/app?trustStorePassword=hidden-word";
    assertThat(adopt(2, "uid-generator", source, "--layout", "game").err())
        .startsWith("firn: store: jdbc:mysql://127.0.0.1:1/app?trustStorePassword=*** (expected: a")
        .contains("whose driver is on the class path; that of MariaDB reads MySQL: jdbc:mariadb:)");
  }

  @Test
  void printsNoPasswordThatADriverTakesForAPort() {
    String source = "jdbc:mariadb://u:hidden-word/x@127.0.0.1:1/app";
    assertThat(adopt(2, "uid-generator", source, "--layout", "game").err())
        .startsWith("firn: store: jdbc:mariadb://***@127.0.0.1:1/app (expected: user and password")
        .doesNotContain("hidden-word");
  }

  @Test
  @Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD) // a driver ignores interrupts
  void waitsForALockedTableNoLongerThanTheTimeout() throws Exception {
    try (MariaDbServer database = MariaDbServer.start();
        Connection connection = DriverManager.getConnection(database.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute("create table WORKER_NODE (ID bigint not null primary key)");
      statement.execute("lock tables WORKER_NODE write");
      String source = database.jdbcUrl() + "&timeout=3100ms";
      assertThat(adopt(1, "uid-generator", source, "--layout", "game").err())
          .startsWith("firn: Source jdbc:mariadb:")
          .contains(" could not be read: no answer within the timeout of 3100ms, which the");
    }
  }

  @Test
  void adoptsTheTablesOfCosIdAndUidGenerator() throws Exception {
    try (MariaDbServer database = MariaDbServer.start()) {
      String source = database.jdbcUrl();
      try (Connection connection = DriverManager.getConnection(source);
          Statement statement = connection.createStatement()) {
        statement.execute(
            "create table cosid_machine (name varchar(100) not null, namespace varchar(100) not"
                + " null, machine_id integer unsigned not null default 0, last_timestamp bigint"
                + " unsigned not null default 0, instance_id varchar(100) not null default '',"
                + " distribute_time bigint unsigned not null default 0, revert_time bigint unsigned"
                + " not null default 0, primary key (name))");
        statement.execute(
            "insert into cosid_machine values ('shop.0', 'shop', 0, 1, '10.0.0.1:80', 1, 0),"
                + " ('shop.1', 'shop', 1, 1, '', 1, 2), ('mail.5', 'mail', 5, 1, 'x:80', 1, 0)");
        statement.execute(
            "create table WORKER_NODE (ID bigint not null auto_increment primary key, HOST_NAME"
                + " varchar(64) not null, PORT varchar(64) not null, TYPE int not null, LAUNCH_DATE"
                + " date not null, MODIFIED timestamp not null, CREATED timestamp not null)");
        for (int start = 0; start < 3; start++) {
          statement.execute(
              "insert into WORKER_NODE (HOST_NAME, PORT, TYPE, LAUNCH_DATE, MODIFIED, CREATED)"
                  + " values ('10.0.0.1', '8080', 2, now(), now(), now())");
        }
      }
      assertThat(adopt(2, "uid-generator", source).err())
          .startsWith("firn: layout: not set (expected: the layout of orders, which is a new");
      assertThat(adopt(0, "uid-generator", source, "--layout", "game").out())
          .startsWith("found 3 worker numbers of UidGenerator: 1-3; layout game\n");
      String[] more = {"--layout", "game", "--spare", "2", "--namespace", "uids", "--apply"};
      Session uids = new Session();
      String[] adopt = {"adopt", "uid-generator", source, "--store", "file:" + directory};
      String[] all = Stream.of(adopt, more).flatMap(Arrays::stream).toArray(String[]::new);
      assertThat(uids.run(all)).as(uids.err()).isZero();
      assertThat(uids.out()).endsWith("uids: 5 worker IDs are reserved for UidGenerator: 1-5\n");
      assertThat(adopt(2, "cosid", source).err()).contains("group: not set (expected: ");
      assertThat(adopt(0, "cosid", source, "--group", "shop", "--apply").out())
          .isEqualTo(
              """
              found 2 worker numbers of CosId: 0-1; layout cosid
              orders: 2 worker IDs are reserved for CosId: 0-1
              """);
      assertThat(reserved("CosId")).hasToString("0-1");
    }
  }

  @Test
  void reservesTheNumbersThatNewProcessesWillGetAndNoneThatTheLayoutHasNot() {
    assertThat(adopt(0, "list", "1020,3", "--spare", "9", "--layout", "leaf").out())
        .contains("\nspare: 3, more the layout does not have above these\n")
        .contains("would reserve in orders: 3,1020-1023\n");
    assertThat(adopt(0, "list", "1020,3", "--spare", "3", "--layout", "leaf").out())
        .doesNotContain("spare: ");
  }

  @Test
  void theDryRunRefusesWhatTheReservationRefuses() {
    adopt(0, "list", "0", "--layout", "leaf", "--apply", "--for", "x");
    for (List<String> more : List.of(List.<String>of(), List.of("--apply"))) {
      assertThat(adoptMore(2, more, "list", "1024", "--layout", "leaf"))
          .startsWith("firn: workers: 1024 (expected: within 0-1023, ");
      assertThat(adoptMore(1, more, "list", "1", "--layout", "classic"))
          .startsWith("firn: Namespace orders has");
      assertThat(adoptMore(2, more, "list", "1", "--until", "2020-01-01"))
          .startsWith("firn: until: 2020-01-01T00:00:00Z (expected: after ");
      assertThat(adoptMore(1, more, "list", "0"))
          .startsWith("firn: Worker 0 of orders is reserved for x; it is free once ");
      assertThat(adoptMore(2, more, "list", "1", "--for", " "))
          .startsWith("firn: for:   (expected: 1..100 visible");
      assertThat(adoptMore(2, more, "list", "1", "--group", "shop"))
          .startsWith("firn: group: shop (expected: none, list has no groups)\n");
    }
    assertThat(reserved("an old system").size()).isZero();
  }

  @Test
  void theDryRunNeedsNoTableAndSaysWhichCommandCreatesIt() throws Exception {
    try (MariaDbServer database = MariaDbServer.start();
        Connection connection = DriverManager.getConnection(database.jdbcUrl())) {
      String store = database.jdbcUrl();
      assertThat(dryRun(0, store).out())
          .startsWith("found 1 worker number of an old system: 3; layout leaf\n")
          .contains(
              "would reserve in orders: 3\nwould create the table firn_register of jdbc:maria")
          .contains(
              ", which is not there; firn ddl prints its statement. If the table was dropped,"
                  + " restore it instead\nnothing was written; --apply writes it\n");
      assertThat(dryRun(0, store + "&ddl=false&table=ids").out())
          .contains("the table ids of jdbc:maria")
          .contains(" is not there; with ddl=false, create it with the statement of firn ddl");
      assertThat(dryRun(2, store + "&may-forget=true").err())
          .startsWith("firn: store: jdbc:mariadb:")
          .contains("&may-forget=true (expected: one that keeps what it acknowledged; ");
      try (ResultSet tables = connection.createStatement().executeQuery("show tables")) {
        assertThat(tables.next()).isFalse();
      }
    }
  }

  private static Session dryRun(int code, String store) {
    Session session = new Session();
    int ended =
        session.run(
            "adopt", "list", "3", "--layout", "leaf", "--store", store, "--namespace", "orders");
    assertThat(ended).as(session.err()).isEqualTo(code);
    return session;
  }

  private String adoptMore(int code, List<String> more, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(more);
    return adopt(code, all.toArray(String[]::new)).err();
  }

  @Test
  void adoptsADatacenterOfTwittersServiceWhole() {
    assertThat(adopt(0, "twitter", "1", "--apply").out())
        .isEqualTo(
            """
            found 32 worker numbers of Twitter's Snowflake: 32-63; layout twitter
            orders: 32 worker IDs are reserved for Twitter's Snowflake: 32-63
            """);
  }

  @Test
  void adoptsTheNodesOfLeafAndCosIdInZooKeeper() throws Exception {
    try (ZooKeeperServers servers = ZooKeeperServers.start(1)) {
      String source = "zookeeper://" + servers.connectString();
      ZooKeeper client = connect(servers);
      try {
        node(client, "/snowflake/com.example.leaf/forever", "");
        for (int server = 0; server < 3; server++) {
          client.create(
              "/snowflake/com.example.leaf/forever/10.0.0." + server + ":8080-",
              "{\"ip\":\"10.0.0.1\",\"port\":\"8080\",\"timestamp\":1}".getBytes(UTF_8),
              EVERYBODY,
              CreateMode.PERSISTENT_SEQUENTIAL);
        }
        node(client, "/cosid/shop/__itc_idx/10.0.0.1:80", "0|1700000000000");
        node(client, "/cosid/shop/__itc_idx/10.0.0.2:80", "2|1700000000000");
        node(client, "/cosid/shop/__revert/1", "1|1700000000000");
        node(client, "/cosid/shop/__counter", "\0\0\0\5");
        node(client, "/cosid/shop/__itc_idx/10.0.0.3:80", "4|1700000000000"); // 3 changes hands
      } finally {
        client.close();
      }
      assertThat(adopt(2, "leaf", source).err())
          .startsWith("firn: group: not set (expected: leaf.name of its configuration, ");
      assertThat(adopt(2, "leaf", source, "--group", "other").err())
          .contains("has no worker numbers (expected: the numbers of Leaf)");
      assertThat(adopt(0, "leaf", source, "--group", "com.example.leaf", "--spare", "8").out())
          .isEqualTo(
              """
              found 3 worker numbers of Leaf: 0-2; layout leaf
              would reserve in orders: 0-10
              nothing was written; --apply writes it
              """);
      assertThat(adopt(0, "cosid", source, "--group", "shop", "--apply").out())
          .startsWith("found 5 worker numbers of CosId: 0-4; layout cosid\n");
      assertThat(reserved("CosId")).hasToString("0-4");
    }
  }

  private static ZooKeeper connect(ZooKeeperServers servers) throws Exception {
    CountDownLatch connected = new CountDownLatch(1);
    ZooKeeper client =
        new ZooKeeper(
            servers.connectString(),
            30_000,
            event -> {
              if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
              }
            });
    assertThat(connected.await(60, TimeUnit.SECONDS)).isTrue();
    return client;
  }

  private static void node(ZooKeeper client, String path, String data) throws Exception {
    for (int end = path.indexOf('/', 1); end >= 0; end = path.indexOf('/', end + 1)) {
      create(client, path.substring(0, end), "");
    }
    create(client, path, data);
  }

  private static void create(ZooKeeper client, String path, String data) throws Exception {
    if (client.exists(path, false) == null) {
      client.create(path, data.getBytes(UTF_8), EVERYBODY, CreateMode.PERSISTENT);
    }
  }

  @Test
  void adoptsTheCounterOfCosIdInRedis() {
    try (RedisServer redis = RedisServer.start()) {
      String source = "redis://127.0.0.1:" + redis.port() + "/3";
      assertThat(adopt(2, "cosid", source, "--group", "shop").err())
          .contains("has no worker numbers (expected: the numbers of CosId)");
      try (Jedis client = new Jedis("127.0.0.1", redis.port())) {
        client.select(3);
        client.set("cosid:{shop}:adder", "4");
      }
      assertThat(adopt(0, "cosid", source, "--group", "shop").out())
          .startsWith("found 5 worker numbers of CosId: 0-4; layout cosid\n");
      assertThat(adopt(2, "cosid", source + "/x", "--group", "shop").err())
          .contains("(expected: redis://HOST:PORT or redis://HOST:PORT/DB)");
    }
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    assertThat(adopt(2, "flickr", "x").err())
        .startsWith(
            "firn: system: flickr (expected: one of leaf, twitter, cosid, uid-generator, list)\n");
    assertThat(adopt(2, "list", "1", "--spare", "-1").err())
        .startsWith("firn: spare: -1 (expected: 0..100000)\n");
    assertThat(adopt(2, "list", "1").err()).startsWith("firn: layout: not set (expected: ");
  }
}
