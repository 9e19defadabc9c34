package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.segment.RegisterSegments;
import io.firn.segment.Segment;
import io.firn.segment.SegmentRefusedException;
import io.firn.store.Binding;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.LogLines;
import io.firn.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the events that change the identity of a Redis server, and of the rights to read it. */
class RedisIdentityTest {

  private static RegisterStore open(RedisServer server, String account) {
    return RegisterStore.open("redis://" + account + "127.0.0.1:" + server.port() + "?timeout=30s");
  }

  private static String identity(RegisterStore store) {
    return store.snapshot(List.of()).orElseThrow().identity();
  }

  @Test
  void promotionOfAServerThatContinuesChangesTheIdentity() {
    try (RedisServer primary = RedisServer.start();
        RedisServer other = RedisServer.start();
        RegisterStore store = open(primary, "")) {
      String before = identity(store);
      long mark = store.compareAndSet("mark", 0, "x").version();
      Admin.ask(primary, "REPLICAOF", "127.0.0.1", "" + other.port());
      assertThatThrownBy(() -> identity(store))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("READONLY a replica answers (expected: the primary)");
      Admin.ask(primary, "REPLICAOF", "NO", "ONE");

      assertThat(identity(store)).isNotEqualTo(before);
      assertThat(store.compareAndSet("a", 0, "x", new Binding(before, "mark", mark)))
          .isEqualTo(WriteResult.CONFLICT);
    }
  }

  @Test
  void countersAreAllowedByNameAndRefuseAfterARestartUntilTheyAreRaised() {
    try (RedisServer server = RedisServer.start();
        RegisterStore refusing = open(server, "")) {
      assertThatThrownBy(() -> RegisterSegments.of(refusing).next("orders", 10))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith(" or allow-counters=true)");
      try (RegisterStore store =
          RegisterStore.open(
              "redis://127.0.0.1:" + server.port() + "?timeout=30s&allow-counters=true")) {
        RegisterSegments counters = RegisterSegments.of(store);
        counters.raise("orders", 1);
        assertThat(counters.next("orders", 10)).isEqualTo(Segment.of(1, 10));
        server.kill();
        assertThatThrownBy(() -> identity(store)).isInstanceOf(StoreException.class);
        server.restart();
        assertThatThrownBy(() -> counters.next("orders", 10))
            .isInstanceOf(SegmentRefusedException.class)
            .hasMessageContaining(" may have lost numbers of key orders, whose counter is absent,");
        counters.raise("orders", 100);
        assertThat(RegisterSegments.of(store).next("orders", 10)).isEqualTo(Segment.of(100, 10));
      }
    }
  }

  @Test
  void flushKeepsTheIdentityAndTakesTheMark() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store = open(server, "")) {
      long mark = store.compareAndSet("mark", 0, "x").version();
      Binding binding = new Binding(identity(store), "mark", mark);
      Admin.ask(server, "FLUSHALL");

      assertThat(identity(store)).isEqualTo(binding.identity());
      assertThat(store.compareAndSet("a", 0, "x", binding)).isEqualTo(WriteResult.CONFLICT);
    }
  }

  @Test
  @Timeout(60)
  void holderLogsOnceThatItWroteItsFlushedRegisterAgain() {
    try (RedisServer server = RedisServer.start();
        RegisterStore store =
            RegisterStore.open(
                "redis://127.0.0.1:" + server.port() + "?timeout=1s&may-forget=false");
        LogLines lines = new LogLines("io.firn.lease");
        Snowflake holder =
            Snowflake.builder()
                .lease(
                    LeaseConfig.builder(store, "flushed")
                        .window(Duration.ofSeconds(10))
                        .maxClockSkew(Duration.ofSeconds(1))
                        .build())
                .build()) {
      long worker = holder.leaseStatus().orElseThrow().worker();
      Admin.ask(server, "FLUSHALL");
      while (lines.messages().stream().noneMatch(line -> line.contains(" of flushed"))) {
        holder.nextId(); // so that it is renewed
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(Namespace.of(store, "flushed").workers()).hasSize(1);
      Instant fence = holder.leaseStatus().orElseThrow().fence();
      while (!holder.leaseStatus().orElseThrow().fence().isAfter(fence.plusSeconds(2))) {
        holder.nextId(); // so that it is renewed again
        LockSupport.parkNanos(1_000_000);
      }
      assertThat(lines.messages())
          .filteredOn(line -> line.contains(" of flushed"))
          .singleElement()
          .asString()
          .startsWith(
              "store "
                  + store
                  + " had lost the register of worker "
                  + worker
                  + " of flushed, as by a flush; it was written again, and the lease goes on until ");
    }
  }

  @Test
  void userWithoutTheRightToInfoIsRefusedWithTheRuleToAdd() {
    try (RedisServer server = RedisServer.start()) {
      Admin.ask(server, "ACL", "SETUSER", "app", "on", ">secret", "~*", "+@all", "-info");
      try (RegisterStore store = open(server, "app:secret@")) {
        assertThat(store.compareAndSet("a", 0, "x").outcome())
            .isEqualTo(WriteResult.Outcome.APPLIED);
        assertThatThrownBy(() -> identity(store))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("NOPERM INFO is refused; give the user the right +info");
        assertThatThrownBy(() -> store.compareAndSet("b", 0, "x", new Binding("i", "mark", 1)))
            .isInstanceOf(StoreException.class)
            .hasMessageContaining("NOPERM INFO is refused; give the user the right +info");
      }
    }
  }
}
