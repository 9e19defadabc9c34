package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.LegacyConfig;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.TokenConfig;
import io.firn.store.InMemoryRegisterStore;
import io.firn.testkit.ForwardingTimeSource;
import io.firn.time.TimeSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Namespaces that clients open by asking for them. */
@Timeout(120)
final class OnDemandTest {

  private final InMemoryRegisterStore store = new InMemoryRegisterStore();
  private final EventLoops loops = new EventLoops(1, TimeSource.system());
  private final FailingClock clock = new FailingClock();
  private final Namespaces namespaces =
      new Namespaces(
          withUnclosableTable(RunningServer.config("redis", "defaults: {window: 300ms}")),
          store,
          new AuditLog(TimeSource.system()),
          loops,
          clock);

  /** Returns the configuration with a table of Leaf whose connections cannot be closed. */
  private static ServerConfig withUnclosableTable(ServerConfig config) {
    return new ServerConfig(
        config.listen(),
        config.store(),
        config.instance(),
        config.defaults(),
        config.namespaces(),
        config.optional(),
        config.onDemand(),
        config.limits(),
        config.tls(),
        config.tokens(),
        config.hosts(),
        config.redisIds(),
        new LegacyConfig(
            false, Optional.empty(), Optional.of("unclosable:fails"), Optional.empty()),
        config.thriftNamespace(),
        config.jsonLog(),
        config.otlp(),
        config.grace(),
        config.drain(),
        config.fromFile());
  }

  /** A clock that can fail the threads that close namespaces. */
  private static final class FailingClock extends ForwardingTimeSource {

    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean fails;

    FailingClock() {
      super(TimeSource.system());
    }

    @Override
    public long currentTimeMillis() {
      if (fails && Thread.currentThread().getName().startsWith("firn-namespaces")) {
        failures.incrementAndGet();
        throw new IllegalStateException("the clock fails");
      }
      return super.currentTimeMillis();
    }
  }

  @AfterEach
  void close() {
    namespaces.close(new StopSteps(), TimeUnit.SECONDS.toNanos(10));
    loops.close();
  }

  @Test
  void areClosedWhenTheyAreNotUsedForTenWindows() throws Exception {
    OpenNamespace orders = namespaces.open("orders").join();
    namespaces.open("default").join();
    while (namespaces.opened("orders") != null || !orders.isClosed()) {
      Thread.sleep(10);
    }
    assertThat(namespaces.opened("default")).as("is required").isNotNull();
    assertThat(namespaces.open("orders").join()).isNotSameAs(orders);
  }

  /** The scope would expire, and readers miss its rows. */
  @Test
  void stayOpenWhileAScopeIs() throws Exception {
    Caller caller =
        new Caller(TokenConfig.anonymous(RunningServer.config("redis")), TimeSource.system());
    while (!isScopeOpened(caller, "scoped")) { // on a busy machine, such a short lease may end
      Thread.sleep(10);
    }
    OpenNamespace scoped = namespaces.opened("scoped");
    Thread.sleep(700); // two windows, so that it has been unused for longer than the next one
    OpenNamespace orders = namespaces.open("orders").join();
    while (!orders.isClosed()) {
      Thread.sleep(10);
    }
    assertThat(namespaces.opened("scoped")).isNotNull().isSameAs(scoped);
  }

  private boolean isScopeOpened(Caller caller, String namespace) throws Exception {
    CompletableFuture<Boolean> opened = new CompletableFuture<>();
    namespaces.issueInScope(
        caller,
        namespace,
        1,
        60_000,
        (ids, next) -> ids.whenComplete((issued, failure) -> opened.complete(failure == null)),
        (scope, ids) -> {});
    return opened.get();
  }

  @Test
  @Timeout(30)
  void areClosedAlthoughOthersCannotBe() throws Exception {
    OpenNamespace first = namespaces.open("leaf:a").join();
    OpenNamespace second = namespaces.open("leaf:b").join();
    while (!first.isClosed() || !second.isClosed()) {
      Thread.sleep(10);
    }
    OpenNamespace later = namespaces.open("orders").join();
    while (!later.isClosed()) {
      Thread.sleep(10);
    }
  }

  @Test
  @Timeout(30)
  void areClosedAfterASearchForThemHasFailed() throws Exception {
    OpenNamespace orders = namespaces.open("orders").join();
    clock.fails = true;
    while (clock.failures.get() < 2) {
      Thread.sleep(10);
    }
    clock.fails = false;
    while (!orders.isClosed()) {
      Thread.sleep(10);
    }
  }

  @Test
  void areRefusedIfTheyDifferFromAnotherByCaseOnly() {
    assertThat(refusal("DEFAULT"))
        .isEqualTo("namespace: DEFAULT (expected: default, or one that differs by more than case)");
    namespaces.open("orders").join();
    assertThat(refusal("Orders"))
        .isEqualTo("namespace: Orders (expected: orders, or one that differs by more than case)");
  }

  @Test
  void areNotOpenedInMasses() {
    String refusal = "";
    for (int i = 0; i < 200 && refusal.isEmpty(); i++) {
      String name = "name" + i;
      CompletableFuture<OpenNamespace> opening = namespaces.open(name);
      if (namespaces.statuses().stream().noneMatch(status -> status.name().equals(name))) {
        refusal = refusal(opening);
      }
    }
    assertThat(refusal).contains("others were opened within a second");
  }

  private String refusal(String name) {
    return refusal(namespaces.open(name));
  }

  private static String refusal(CompletableFuture<OpenNamespace> opening) {
    try {
      opening.join();
      return "none";
    } catch (CompletionException e) {
      return String.valueOf(e.getCause().getMessage());
    }
  }
}
