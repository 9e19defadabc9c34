package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.lease.Namespace;
import io.firn.lease.Watermark;
import io.firn.lease.WorkerEntry;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.ManualTimeSource;
import io.firn.testservers.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class WatermarkCommandTest {

  @TempDir Path directory;

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));

  private Snowflake start(RegisterStore store) {
    return Snowflake.builder().lease(store, "orders").timeSource(time).build();
  }

  private Session run(int exitCode, String... command) {
    Session session = new Session();
    session.time.advance(Duration.ofSeconds(7));
    List<String> args = new ArrayList<>(List.of(command));
    args.add("--store");
    args.add("file:" + directory);
    assertThat(session.run(args.toArray(String[]::new))).as(session.err()).isEqualTo(exitCode);
    return session;
  }

  @Test
  void readsAPublishedWatermarkOfAStoreThatMayForget() {
    try (RedisServer redis = RedisServer.start()) {
      String address = "redis://127.0.0.1:" + redis.port() + "?timeout=10s";
      try (RegisterStore store = RegisterStore.open(address);
          Snowflake orders = Snowflake.builder().lease(store, "orders").build()) {
        assertThat(orders.nextId()).isPositive();
        var unused = Watermark.builder(store, "orders").allowMayForget().build().current();
      }
      Session refused = new Session();
      assertThat(refused.run("watermark", "orders", "--store", address)).isEqualTo(2);
      assertThat(refused.err()).contains("--allow-may-forget");
      Session read = new Session();
      assertThat(read.run("watermark", "orders", "--published", "--store", address))
          .as(read.err())
          .isZero();
      assertThat(read.out()).startsWith("orders: ");
    }
  }

  @Test
  void watermarkShowsWhoHoldsItBack() {
    assertThat(run(2, "watermark", "orders").err())
        .contains("namespace: orders (expected: a namespace that a generator has used in file:");
    try (RegisterStore store = FileRegisterStore.open(directory);
        Snowflake orders = start(store);
        IdScope scope = orders.scope()) {
      long worker = orders.leaseStatus().orElseThrow().worker();
      assertThat(scope.nextId()).isPositive();
      assertThat(run(2, "watermark", "orders", "--published").err())
          .contains("namespace: orders (expected: one with a watermark; without --published,");
      String text = run(0, "watermark", "orders").out();
      assertThat(text)
          .startsWith(
              "orders: none yet, for a worker ID was leased or a layout changed a short time ago;"
                  + " ask again\n")
          .contains("  worker " + worker + " of ")
          .contains(": no low mark yet, leased since 2026-11-21T12:00:00.000Z\n");
      assertThat(run(0, "watermark", "orders", "--json").out())
          .startsWith("{\"namespace\":\"orders\",\"id\":\"")
          .contains("\"held_back_by\":[{\"worker\":" + worker + ",");
      assertThat(run(0, "watermark", "orders", "--published").out())
          .isEqualTo(text.substring(0, text.indexOf('\n') + 1));
    }
    Session later = new Session();
    later.time.advance(Duration.ofSeconds(30));
    assertThat(later.run("watermark", "orders", "--store", "file:" + directory)).isZero();
    assertThat(later.out())
        .matches("orders: [0-9]+, before 2026-11-21T12:00:[0-9.]+Z, 0 s behind the clock\n");
  }

  @Test
  void watermarkRefusesReservedWorkersUnlessTheyAreLeftOut() {
    try (RegisterStore store = FileRegisterStore.open(directory);
        Snowflake orders = start(store)) {
      long other = (orders.leaseStatus().orElseThrow().worker() + 1) % 1024;
      Namespace.of(store, "orders")
          .reserve(other, IdLayout.CLASSIC, "old Leaf", WorkerEntry.NEVER, false);

      assertThat(run(1, "watermark", "orders").err())
          .contains("is reserved for old Leaf; release it, or add --leave-out-reserved");
      run(0, "watermark", "orders", "--leave-out-reserved");
    }
  }

  @Test
  void blockIsRefusedUnlessItIsOutsideOfTheWatermark() {
    try (RegisterStore store = FileRegisterStore.open(directory);
        Snowflake orders = start(store)) {
      orders.nextId();
      run(0, "watermark", "orders");

      assertThat(run(1, "next", "--block", "5", "--namespace", "orders").err())
          .contains("; use another namespace, or add --outside-watermark");
      run(0, "next", "--block", "5", "--namespace", "orders", "--outside-watermark");
    }
  }
}
