package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.internal.Lane;
import io.firn.internal.Waiters;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The shared keeper with real threads, and stores that hang, fail, and are slow. Most of it waits.
 */
@Execution(ExecutionMode.CONCURRENT)
class HangingStoreTest {

  private static final Duration WINDOW = Duration.ofSeconds(2);
  private static final TimeSource TIME = TimeSource.system();
  private static final Duration MAX_WAIT = Duration.ofMinutes(2);

  /** A store in memory whose writes hang, throw or take time when a test says so. */
  private static final class Hanging extends ForwardingRegisterStore {

    private final CountDownLatch goOn = new CountDownLatch(1);
    private volatile boolean hangs;
    private volatile long delayMillis;
    private volatile Error error;

    Hanging() {
      super(new InMemoryRegisterStore());
    }

    @Override
    public WriteResult compareAndSet(String name, long expectedVersion, String value) {
      Error thrown = error;
      if (thrown != null) {
        throw thrown;
      }
      try {
        if (hangs) {
          goOn.await();
        }
        Thread.sleep(delayMillis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return super.compareAndSet(name, expectedVersion, value);
    }

    @Override
    public String toString() {
      return "hanging:";
    }
  }

  private final List<Snowflake> opened = new ArrayList<>();
  private final Hanging hanging = new Hanging();

  @AfterEach
  void letGo() {
    hanging.goOn.countDown();
    hanging.hangs = false;
    hanging.error = null;
    opened.forEach(Snowflake::close);
  }

  private Snowflake start(
      RegisterStore store, String namespace, Duration window, LeaseListener listener) {
    Snowflake snowflake =
        Snowflake.builder()
            .layout(IdLayout.CLASSIC)
            .lease(LeaseConfig.builder(store, namespace).window(window).listener(listener).build())
            .build();
    opened.add(snowflake);
    return snowflake;
  }

  private Snowflake start(RegisterStore store, String namespace, LeaseListener listener) {
    return start(store, namespace, WINDOW, listener);
  }

  private Snowflake start(RegisterStore store, String namespace) {
    return start(store, namespace, new LeaseListener() {});
  }

  @Test
  void storeThatHangsDelaysNoLeaseOfAnotherStore() throws Exception {
    for (int i = 0; i < 8; i++) {
      start(hanging, "hanging-" + i);
    }
    Snowflake healthy = start(new InMemoryRegisterStore(), "healthy");
    hanging.hangs = true;
    Instant end = Instant.now().plus(WINDOW.multipliedBy(3));
    while (Instant.now().isBefore(end)) {
      healthy.nextId();
      Thread.sleep(10);
    }
    assertThatThrownBy(opened.get(0)::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  @Test
  void expiryIsNotifiedWhileTheStoreHangs() throws Exception {
    CountDownLatch expired = new CountDownLatch(1);
    start(
        hanging,
        "orders",
        new LeaseListener() {
          @Override
          public void expired(LeaseStatus status) {
            expired.countDown();
          }
        });
    hanging.hangs = true;
    assertThat(expired.await(MAX_WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void closeDoesNotWaitLongForAStoreThatHangs() throws Exception {
    Snowflake snowflake = start(hanging, "orders");
    hanging.hangs = true;
    Thread.sleep(WINDOW.toMillis());
    long begin = System.nanoTime();

    snowflake.close();

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(MAX_WAIT);
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isPresent();
    assertThatThrownBy(snowflake::nextId).hasMessageContaining("closed");
  }

  @Test
  void errorOfAStoreEndsNoLeaseNotEvenItsOwn() throws Exception {
    Snowflake first = start(hanging, "orders");
    Snowflake second = start(new InMemoryRegisterStore(), "orders");
    hanging.error = new OutOfMemoryError("simulated");
    while (first.leaseStatus().orElseThrow().lastError().isEmpty()) {
      Thread.sleep(5);
    }
    assertThat(first.leaseStatus().orElseThrow().lastError().orElseThrow())
        .isEqualTo("java.lang.OutOfMemoryError: simulated");
    Thread.sleep(WINDOW.toMillis() * 3 / 2);
    second.nextId();

    hanging.error = null;
    long begin = System.nanoTime();
    while (first.leaseStatus().orElseThrow().lastError().isPresent()) {
      Thread.sleep(5);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(MAX_WAIT);
    }
    first.nextId();
  }

  @Test
  void errorOfAListenerEndsNoLease() {
    start(
        new InMemoryRegisterStore(),
        "orders",
        new LeaseListener() {
          @Override
          public void renewed(LeaseStatus status) {
            throw new NoClassDefFoundError("simulated");
          }
        });
    awaitRenewalsOfAll(WINDOW);
  }

  /** More listeners that block than a lane has threads. */
  @Test
  void listenersThatBlockDelayNoLeaseNotEvenTheirOwn() throws Exception {
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch blocked = new CountDownLatch(Lane.MAX_THREADS);
    LeaseListener blocking =
        new LeaseListener() {
          @Override
          public void renewed(LeaseStatus status) {
            blocked.countDown();
            boolean unused = new Waiters().await(() -> goOn.getCount() == 0, TIME, Long.MAX_VALUE);
          }
        };
    InMemoryRegisterStore store = new InMemoryRegisterStore();
    try {
      for (int i = 0; i < 2 * Lane.MAX_THREADS; i++) {
        start(store, "blocked-" + i, blocking);
      }
      Snowflake other = start(store, "other");
      assertThat(blocked.await(MAX_WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      awaitRenewalsOfAll(WINDOW);
      other.nextId();
    } finally {
      goOn.countDown();
    }
  }

  /**
   * Waits until the fence of each lease has moved on by more than two windows. Draws no ID, because
   * a draw at the end of a window requests a renewal itself.
   */
  private void awaitRenewalsOfAll(Duration window) {
    Map<Snowflake, Instant> ends = new LinkedHashMap<>();
    opened.forEach(
        snowflake -> ends.put(snowflake, Fleet.fence(snowflake).plus(window.multipliedBy(2))));
    ends.forEach(
        (snowflake, end) ->
            assertThat(
                    new Waiters()
                        .await(() -> Fleet.fence(snowflake).isAfter(end), TIME, MAX_WAIT.toNanos()))
                .isTrue());
  }

  @Test
  void leasesOfASlowStoreAreRenewedInHalfAWindow() {
    AtomicInteger expired = new AtomicInteger();
    LeaseListener counting =
        new LeaseListener() {
          @Override
          public void expired(LeaseStatus status) {
            expired.incrementAndGet();
          }
        };
    // 255 leases and 30 s in proportion: 51 leases and 6 s.
    Duration window = Duration.ofSeconds(6);
    for (int i = 0; i < 51; i++) {
      start(hanging, "n-" + i, window, counting);
    }
    hanging.delayMillis = 160;
    awaitRenewalsOfAll(window);
    assertThat(expired).hasValue(0);
  }

  @Test
  void leaseOfADroppedGeneratorRunsOut() throws Exception {
    InMemoryRegisterStore store = new InMemoryRegisterStore();
    Snowflake.builder()
        .layout(IdLayout.CLASSIC)
        .lease(LeaseConfig.builder(store, "dropped").window(WINDOW).build())
        .build()
        .nextId();
    Namespace namespace = Namespace.of(store, "dropped");
    long begin = System.nanoTime();
    while (namespace.workers().get(0).fence().isAfter(Instant.now())) {
      System.gc();
      Thread.sleep(50);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(MAX_WAIT);
    }
    assertThat(namespace.workers().get(0).held()).isTrue();
  }
}
