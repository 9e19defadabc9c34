package io.firn.benchmarks;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;

/** The time that it takes to acquire a worker ID of a namespace in which others are leased. */
final class Occupancy {

  static final String PREFIX = "bench-";

  private static final int SAMPLES = 15;

  /** Of what may take seconds. */
  private static final int FEW_SAMPLES = 3;

  private static final int FEW_FROM = 10_000;
  private static final int WRITERS = 16;
  private static final int BATCH = 5_000;
  private static final Duration MAX_FILL = Duration.ofMinutes(2);

  /** Long enough for the time that calls get. */
  private static final Duration WINDOW = Duration.ofMinutes(5);

  private static final int TIME_BITS = 41;

  /** Firn's own parameters, which drivers refuse. */
  private static final String OWN_PARAMETERS = "(timeout|may-forget)=[^&]*&?";

  private final CountingStore store;
  private final String address;
  private final String namespace;
  private final IdLayout layout;
  private final int workers;
  private final AtomicInteger instances = new AtomicInteger();
  private final List<Snowflake> opened = new ArrayList<>();

  /** The workers that were leased for a while, whose registers are there. */
  private final Set<Integer> taken = new HashSet<>();

  /** The cost of a call: the median of its times, and the mean of the store's calls in it. */
  record Cost(double millis, double calls, double scans) {}

  /**
   * The costs of acquiring while half of the workers are leased, and all but one, and of a census.
   */
  record Costs(Cost half, Cost last, Cost census) {}

  private Occupancy(RegisterStore store, String address, int bits) {
    this.store = new CountingStore(store);
    this.address = address;
    namespace = PREFIX + bits + "-" + Long.toString(System.currentTimeMillis(), 36);
    layout =
        IdLayout.builder()
            .time(TIME_BITS)
            .worker(bits)
            .sequence(63 - TIME_BITS - bits)
            .epoch(Instant.parse("2026-01-01T00:00:00Z"))
            .build();
    workers = 1 << bits;
  }

  /** Measures in a new namespace, whose layout has this many worker bits. */
  static Costs measure(RegisterStore store, String address, int bits) {
    return new Occupancy(store, address, bits).measure();
  }

  private Costs measure() {
    String record = lease(0);
    fill(record, 0, 2);
    Cost half = cost(this::acquire, SAMPLES);
    fill(record, 1, 2);
    retake(record);
    int samples = workers < FEW_FROM ? SAMPLES : FEW_SAMPLES;
    Cost last = cost(this::acquire, samples);
    Cost census = cost(() -> Namespace.of(store, namespace).workers().size(), samples);
    return new Costs(half, last, census);
  }

  /** Leases a worker, and returns its record as one that ends tomorrow. */
  private String lease(long worker) {
    try (Snowflake generator =
        Snowflake.builder().layout(layout).lease(config().worker(worker).build()).build()) {
      Register register = store.read(namespace + "/worker/" + worker).orElseThrow();
      long unused = generator.nextId();
      Instant tomorrow = Instant.now().plus(1, ChronoUnit.DAYS).truncatedTo(ChronoUnit.MILLIS);
      return register.value().replaceFirst("fence=\\S+", "fence=" + tomorrow);
    }
  }

  private LeaseConfig.Builder config() {
    return LeaseConfig.builder(store, namespace)
        .instance("i" + instances.incrementAndGet())
        .window(WINDOW)
        .acquireTimeout(Duration.ofSeconds(30));
  }

  private int acquire() {
    Snowflake generator = Snowflake.builder().layout(layout).lease(config().build()).build();
    opened.add(generator);
    taken.add((int) generator.leaseStatus().orElseThrow().worker());
    return 1;
  }

  /** Leases the workers that were given back. */
  private void retake(String record) {
    for (int worker : taken) {
      if (worker < workers - 1) {
        Register given = store.read(register(worker)).orElseThrow();
        store.compareAndSet(given.name(), given.version(), record);
      }
    }
  }

  /** Measures calls; what they acquired is given back between them, outside of the time. */
  private Cost cost(IntSupplier call, int samples) {
    double[] millis = new double[samples];
    long calls = 0;
    long scans = 0;
    for (int i = 0; i < samples; i++) {
      long callsBefore = store.calls();
      long scansBefore = store.scans();
      long begin = System.nanoTime();
      int unused = call.getAsInt();
      millis[i] = (System.nanoTime() - begin) / 1e6;
      calls += store.calls() - callsBefore;
      scans += store.scans() - scansBefore;
      opened.forEach(Snowflake::close);
      opened.clear();
    }
    Arrays.sort(millis);
    return new Cost(millis[samples / 2], calls / (double) samples, scans / (double) samples);
  }

  /** Writes a record for every other worker from the second on; leaves the last one free. */
  private void fill(String record, int from, int step) {
    List<Integer> others = new ArrayList<>();
    for (int worker = from == 0 ? step : from; worker < workers - 1; worker += step) {
      if (!taken.contains(worker)) {
        others.add(worker);
      }
    }
    if (address.startsWith("jdbc:")) {
      insert(others, record);
    } else {
      write(others, record);
    }
  }

  private String register(int worker) {
    return namespace + "/worker/" + worker;
  }

  private void insert(List<Integer> others, String record) {
    try (Connection connection =
            DriverManager.getConnection(address.replaceAll(OWN_PARAMETERS, ""));
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT INTO firn_register (name, version, value) VALUES (?, 1, ?)")) {
      connection.setAutoCommit(false);
      for (int i = 0; i < others.size(); i++) {
        insert.setString(1, register(others.get(i)));
        insert.setString(2, record);
        insert.addBatch();
        if (i % BATCH == BATCH - 1) {
          insert.executeBatch();
        }
      }
      insert.executeBatch();
      connection.commit();
    } catch (SQLException e) {
      throw new IllegalStateException("The registers were not inserted: " + e.getMessage(), e);
    }
  }

  private void write(List<Integer> others, String record) {
    long end = System.nanoTime() + MAX_FILL.toNanos();
    AtomicInteger next = new AtomicInteger();
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    try {
      Runnable writer =
          () -> {
            for (int i = next.getAndIncrement(); i < others.size(); i = next.getAndIncrement()) {
              if (System.nanoTime() - end > 0) {
                throw new IllegalStateException(
                    i + " registers were written in " + MAX_FILL.toSeconds() + " s");
              }
              store.compareAndSet(register(others.get(i)), 0, record);
            }
          };
      List<CompletableFuture<Void>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        writers.add(CompletableFuture.runAsync(writer, threads));
      }
      writers.forEach(CompletableFuture::join);
    } catch (CompletionException e) {
      throw new IllegalStateException(e.getCause() == null ? "" : e.getCause().getMessage(), e);
    } finally {
      threads.shutdownNow();
      await(threads);
    }
  }

  private static void await(ExecutorService threads) {
    try {
      boolean unused = threads.awaitTermination(1, TimeUnit.MINUTES);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
