package io.firn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.Binding;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.testkit.CuttingProxy;
import io.firn.testservers.EtcdServers;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import io.firn.testservers.RedisServer;
import io.firn.testservers.ZooKeeperServers;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Measures the cost of a lease on each store: the number of round trips, which is counted on the
 * wire, and for how long, which is printed. {@code -Dfirn.samples=1000} makes it a measurement.
 */
class StoreCostsTest {

  private static final int SAMPLES = Integer.getInteger("firn.samples", 30);

  /** gRPC sends a ping now and then with what it receives, which nobody waits for. */
  private static final int WITH_PINGS = 2;

  static boolean etcdIsInstalled() {
    return EtcdServers.isInstalled();
  }

  @Test
  void leaseFromRedisTakesThreeRoundTrips() {
    try (RedisServer redis = RedisServer.startDurable()) {
      measure("Redis, forced to disk", redis.address(), at -> "redis://" + text(at), 3, 1);
    }
  }

  @Test
  void leaseFromPostgresTakesFiveRoundTrips() {
    try (PostgresServer postgres = PostgresServer.start()) {
      measure("PostgreSQL", postgres.address(), postgres::jdbcUrl, 5, 3);
    }
  }

  @Test
  void leaseFromMariaDbTakesSevenRoundTrips() {
    try (MariaDbServer mariaDb = MariaDbServer.start()) {
      measure("MariaDB", mariaDb.address(), mariaDb::jdbcUrl, 7, 5);
    }
  }

  @Test
  void leaseFromZooKeeperTakesThreeRoundTrips() throws Exception {
    try (ZooKeeperServers zooKeeper = ZooKeeperServers.start(1)) {
      measure("ZooKeeper", zooKeeper.address(0), at -> "zookeeper://" + text(at), 3, 1);
    }
  }

  @Test
  @EnabledIf("etcdIsInstalled")
  void leaseFromEtcdTakesThreeCalls() throws Exception {
    try (EtcdServers etcd = EtcdServers.start(1)) {
      measure("etcd", etcd.address(0), at -> "etcd://" + text(at), 3 * WITH_PINGS, WITH_PINGS);
    }
  }

  private static String text(InetSocketAddress address) {
    return "127.0.0.1:" + address.getPort();
  }

  private static void measure(
      String name,
      InetSocketAddress server,
      Function<InetSocketAddress, String> uri,
      int mostToAcquire,
      int mostToRenew) {
    try (CuttingProxy proxy = CuttingProxy.to(server);
        RegisterStore store = RegisterStore.open(withTimeout(uri.apply(proxy.address())))) {
      acquire(store, 0); // connects, makes the namespace
      Costs acquire = new Costs(proxy);
      Costs renew = new Costs(proxy);
      long version = store.compareAndSet("renewed", 0, "").version();
      for (int i = 1; i <= SAMPLES; i++) {
        int number = i;
        acquire.take(() -> acquire(store, number)).close();
        long before = version;
        Optional<Binding> mark = mark(store);
        WriteResult renewed = renew.take(() -> renew(store, before, "" + number, mark));
        assertThat(renewed.outcome()).isEqualTo(WriteResult.Outcome.APPLIED);
        version = renewed.version();
      }
      System.out.printf(
          Locale.ROOT,
          "%-22s acquire %.0f round trips, %6.2f ms; renew %.0f, %6.2f ms (medians of %d)%n",
          name,
          acquire.trips(),
          acquire.millis(),
          renew.trips(),
          renew.millis(),
          SAMPLES);
      assertThat(acquire.trips()).isBetween(2.0, (double) mostToAcquire);
      assertThat(renew.trips()).isBetween(1.0, (double) mostToRenew);
    }
  }

  /** Returns what a renewal is bound to, where the store has an identity. */
  private static Optional<Binding> mark(RegisterStore store) {
    String name = "costs/layout";
    return store
        .snapshot(List.of(name))
        .map(
            read ->
                new Binding(read.identity(), name, read.register(name).orElseThrow().version()));
  }

  private static WriteResult renew(
      RegisterStore store, long version, String value, Optional<Binding> mark) {
    return mark.isPresent()
        ? store.compareAndSet("renewed", version, value, mark.get())
        : store.compareAndSet("renewed", version, value);
  }

  private static String withTimeout(String uri) {
    return uri + (uri.contains("?") ? "&" : "?") + "timeout=20s";
  }

  private static Snowflake acquire(RegisterStore store, int number) {
    LeaseConfig lease =
        LeaseConfig.builder(store, "costs")
            .instance("i" + number)
            .window(Duration.ofMinutes(2))
            .build();
    return Snowflake.builder().layout(IdLayout.GAME).lease(lease).build();
  }

  /** The number and the duration of a caller's waits. */
  private static final class Costs {

    private final CuttingProxy proxy;
    private final long[] trips = new long[SAMPLES];
    private final long[] nanos = new long[SAMPLES];
    private int size;

    Costs(CuttingProxy proxy) {
      this.proxy = proxy;
    }

    <T> T take(Supplier<T> call) {
      long before = proxy.requests();
      long begin = System.nanoTime();
      T result = call.get();
      nanos[size] = System.nanoTime() - begin;
      trips[size++] = proxy.requests() - before;
      return result;
    }

    double trips() {
      return median(trips);
    }

    double millis() {
      return median(nanos) / 1e6;
    }

    private static double median(long[] values) {
      long[] sorted = values.clone();
      Arrays.sort(sorted);
      return sorted[sorted.length / 2];
    }
  }
}
