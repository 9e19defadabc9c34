package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.store.Binding;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testservers.PgBouncer;
import io.firn.testservers.PostgresServer;
import io.firn.time.TimeSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** PostgreSQL behind PgBouncer, where each transaction may have another connection. */
class PgBouncerTest {

  private static final Duration MAX_RESTART = Duration.ofMinutes(2);

  @BeforeAll
  static void findPgBouncer() {
    assumeTrue(PgBouncer.isInstalled());
  }

  private static RegisterStore open(PostgresServer server, PgBouncer bouncer) {
    return RegisterStore.open(server.jdbcUrl(bouncer.address()) + "&prepareThreshold=0&timeout=7s");
  }

  private static String identity(RegisterStore store) {
    return store.snapshot(List.of()).orElseThrow().identity();
  }

  @Test
  void identityIsThatOfTheServerBehindIt() {
    try (PostgresServer server = PostgresServer.start();
        PgBouncer bouncer = PgBouncer.start(server);
        RegisterStore store = open(server, bouncer);
        RegisterStore direct = RegisterStore.open(server.jdbcUrl() + "&timeout=7s")) {
      String before = identity(store);
      assertThat(identity(direct)).isEqualTo(before);
      long mark = store.compareAndSet("mark", 0, "x").version();
      Binding binding = new Binding(before, "mark", mark);
      for (int i = 0; i < 20; i++) {
        assertThat(store.compareAndSet("a" + i, 0, "x", binding).outcome())
            .isEqualTo(WriteResult.Outcome.APPLIED);
      }
      server.kill();
      server.restart();

      assertThat(identityAfterRestart(store)).isNotEqualTo(before);
      assertThat(store.compareAndSet("b", 0, "x", binding)).isEqualTo(WriteResult.CONFLICT);
    }
  }

  private static String identityAfterRestart(RegisterStore store) {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    while (true) {
      try {
        return identity(store);
      } catch (StoreException e) {
        if (time.nanoTime() - begin > MAX_RESTART.toNanos()) {
          throw e;
        }
        time.parkNanos(100_000_000);
      }
    }
  }

  @Test
  void callsEndTheirWaitsForLocksAndLeaveTheSessionAsItWas() throws SQLException {
    try (PostgresServer server = PostgresServer.start();
        PgBouncer bouncer = PgBouncer.start(server);
        RegisterStore store = open(server, bouncer);
        Connection other = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = other.createStatement()) {
      store.compareAndSet("a", 0, "x");
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE firn_register IN ACCESS EXCLUSIVE MODE");
      assertThatThrownBy(() -> store.read("a")).hasMessageContaining("due to lock timeout");
      other.rollback();
      assertThat(store.read("a")).isPresent();
      String behind = server.jdbcUrl(bouncer.address()) + "&prepareThreshold=0";
      try (Connection client = DriverManager.getConnection(behind);
          ResultSet setting = client.createStatement().executeQuery("SHOW lock_timeout")) {
        assertThat(setting.next()).isTrue();
        assertThat(setting.getString(1)).isEqualTo("0");
      }
    }
  }

  @Test
  void manyLeasesShareTwoConnections() {
    try (PostgresServer server = PostgresServer.start();
        PgBouncer bouncer = PgBouncer.start(server);
        RegisterStore one = open(server, bouncer);
        RegisterStore two = open(server, bouncer);
        RegisterStore three = open(server, bouncer)) {
      long worker = 0;
      for (RegisterStore store : List.of(one, two, three, one, two, three)) {
        LeaseConfig lease = LeaseConfig.builder(store, "orders").worker(worker++).build();
        try (Snowflake snowflake =
            Snowflake.builder().layout(IdLayout.TWITTER).lease(lease).build()) {
          assertThat(snowflake.nextId()).isPositive();
        }
      }
      assertThat(Namespace.of(one, "orders").workers()).hasSize(6).noneMatch(each -> each.held());
    }
  }
}
