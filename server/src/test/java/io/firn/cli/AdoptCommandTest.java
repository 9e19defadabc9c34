package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.WorkerSet;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.FileRegisterStore;
import io.firn.testservers.MariaDbServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each system's own store, filled by the statements and calls of that system. */
final class AdoptCommandTest {

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

  @Test
  void adoptsAList() {
    assertThat(adopt(0, "list", "0-9,12", "--layout", "twitter").out())
        .isEqualTo(
            """
            found 11 worker numbers of an old system: 0-9,12; layout twitter
            would reserve in orders: 0-9,12
            nothing was written; --apply does it
            """);
    assertThat(Namespace.of(FileRegisterStore.open(directory), "orders").layout()).isEmpty();
    for (int again = 0; again < 2; again++) {
      assertThat(adopt(0, "list", "0-9,12", "--layout", "twitter", "--apply").out())
          .endsWith("orders: 11 worker IDs are reserved for an old system: 0-9,12\n");
    }
    assertThat(reserved("an old system")).hasToString("0-9,12");
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
      assertThat(adopt(0, "uid-generator", source, "--layout", "game").out())
          .startsWith("found 3 worker numbers of UidGenerator: 1-3; layout game\n");
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
        .contains("would reserve in orders: 3,1020-1023\n");
    assertThat(adopt(2, "list", "1024", "--layout", "leaf", "--apply").err())
        .startsWith("firn: workers: 1024 (expected: within 0-1023, ");
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    assertThat(adopt(2, "flickr", "x").err())
        .startsWith("firn: system: flickr (expected: cosid, uid-generator or list)\n");
    assertThat(adopt(2, "list", "1", "--spare", "-1").err())
        .startsWith("firn: spare: -1 (expected: 0..100000)\n");
    assertThat(adopt(2, "list", "1").err()).startsWith("firn: layout: not set (expected: ");
  }
}
