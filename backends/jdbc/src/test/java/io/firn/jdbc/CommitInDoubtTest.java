package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Watermark;
import io.firn.testkit.SwitchedStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** A commit that the database goes on with, for longer than half a window, without its client. */
class CommitInDoubtTest {

  private static final String[] SLOW_COMMITS = {
    "CREATE TABLE in_doubt (id BIGINT PRIMARY KEY)",
    "CREATE FUNCTION slow_commit() RETURNS trigger LANGUAGE plpgsql AS"
        + " $$ BEGIN PERFORM pg_sleep(8); RETURN NULL; END $$",
    "CREATE CONSTRAINT TRIGGER slow_commit AFTER INSERT ON in_doubt DEFERRABLE INITIALLY DEFERRED"
        + " FOR EACH ROW EXECUTE FUNCTION slow_commit()"
  };

  /** In the large size only: a commit in doubt has a grace of at least 10 s. */
  @Test
  @EnabledIf("io.firn.testkit.Sizes#isDeep")
  void commitWhoseConnectionTimedOutIsNotMissed() throws Exception {
    String url = TestDatabase.POSTGRES.url();
    TestDatabase.POSTGRES.execute(SLOW_COMMITS);
    try (SwitchedStore store = new SwitchedStore();
        Connection reader = DriverManager.getConnection(url);
        Statement select = reader.createStatement();
        Connection writer = DriverManager.getConnection(url + "&socketTimeout=1");
        Statement insert = writer.createStatement();
        Snowflake orders =
            Snowflake.builder()
                .lease(LeaseConfig.builder(store, "orders").window(Duration.ofSeconds(10)).build())
                .build()) {
      Watermark watermark = Watermark.of(store, "orders");
      orders.scope().close();
      var unused = watermark.current();
      writer.setAutoCommit(false);
      long[] id = new long[1];
      assertThatThrownBy(
              () -> {
                try (IdScope scope = orders.scope()) {
                  id[0] = scope.nextId();
                  insert.execute("INSERT INTO in_doubt VALUES (" + id[0] + ")");
                  scope.commit(writer::commit);
                }
              })
          .isInstanceOf(SQLException.class);

      OutboxProcess.await(() -> watermark.current().id() >= id[0]);

      try (ResultSet rows = select.executeQuery("SELECT count(*) FROM in_doubt")) {
        rows.next();
        assertThat(rows.getLong(1)).as("rows that a reader up to the watermark finds").isOne();
      }
    } finally {
      TestDatabase.POSTGRES.execute("DROP TABLE in_doubt", "DROP FUNCTION slow_commit");
    }
  }
}
