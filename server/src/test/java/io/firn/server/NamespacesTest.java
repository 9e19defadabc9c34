package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.FirnException;
import io.firn.lease.Namespace;
import io.firn.segment.SegmentUnavailableException;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.TokenConfig;
import io.firn.testkit.ForwardingTimeSource;
import io.firn.testkit.LogLines;
import io.firn.testkit.SwitchedStore;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
final class NamespacesTest {

  private static final long SECOND = 1_000_000_000;

  private final SwitchedStore store = new SwitchedStore();
  private final EventLoops loops = new EventLoops(1, TimeSource.system());
  private Namespaces namespaces = namespaces();

  private Namespaces namespaces(String... yaml) {
    TimeSource time = TimeSource.system();
    return new Namespaces(
        RunningServer.config("redis", yaml), store, new AuditLog(time), loops, time);
  }

  @AfterEach
  void close() {
    store.down(false);
    store.letGo();
    namespaces.close(new StopSteps(), SECOND);
    loops.close();
  }

  @Test
  void opensANamespaceWhenItIsAskedFor() {
    assertThat(namespaces.opened("orders")).isNull();
    OpenNamespace orders = namespaces.open("orders").join();
    assertThat(namespaces.opened("orders")).isSameAs(orders);
    assertThat(namespaces.open("orders").join()).isSameAs(orders);
    assertThat(orders.nextIds(1).join()[0]).isPositive();
  }

  @Test
  void opensANamespaceOfSegmentsWhoseRequestsDoNotWait() {
    namespaces = namespaces("namespaces: {bills: {type: segment, max-wait: 0ms}}");
    namespaces.openRequired().join();
    assertThat(opened("bills").nextIds(1).join()).containsExactly(1);
  }

  @Test
  void opensANamespaceOnceForConcurrentRequests() {
    store.hold();
    CompletableFuture<OpenNamespace> first = namespaces.open("orders");
    CompletableFuture<OpenNamespace> second = namespaces.open("orders");
    assertThat(first).isNotDone();
    store.letGo();
    assertThat(second.join()).isSameAs(first.join());
    assertThat(Namespace.of(store, "orders").workers()).hasSize(1);
  }

  @Test
  void answersAFailureForAMomentWithoutAskingTheStoreAgain() {
    store.down(true);
    RequestException failure = failure("orders");
    assertThat(failure.kind()).isEqualTo(RequestException.Kind.UNAVAILABLE);
    assertThat(failure).hasMessage("Store switched: did not answer");
    int asked = store.calls();
    assertThat(failure("orders")).hasMessage("Store switched: did not answer");
    assertThat(store.calls()).isEqualTo(asked);
  }

  @Test
  void refusesRequestsInTimeWhileTheStoreHangsAsTheirNamespaceOpens() {
    namespaces = namespaces("namespaces: {numbers: {type: segment, max-wait: 300ms}}");
    store.hold();
    assertThat(millisToRefusal("numbers")).isBetween(250L, 1_500L);
    for (int i = 0; i < 20; i++) {
      assertThat(millisToRefusal("numbers")).isLessThan(200);
    }
    RequestException refusal = refusal("numbers");
    assertThat(refusal).hasMessage("Namespace numbers did not open and answer within 300 ms");
    assertThat(refusal.code()).isEqualTo("segment_unavailable");
    assertThat(refusal.retrySeconds()).hasValue(1);
    store.letGo();
    while (namespaces.opened("numbers") == null) {
      Thread.onSpinWait();
    }
    assertThat(nextIds("numbers", 1).join()).containsExactly(1);
  }

  @Test
  void opensANamespaceWhileTheSourceOfOthersHangs() throws Exception {
    String source = "namespaces-" + System.nanoTime();
    String away = "{type: segment, source: 'switched:" + source + "'}";
    namespaces = namespaces("namespaces: {a: %1$s, b: %1$s, c: %1$s, d: %1$s}".formatted(away));
    SwitchedStores.named(source).hold();
    try {
      for (String name : List.of("a", "b", "c", "d")) {
        namespaces.open(name);
      }
      assertThat(namespaces.open("orders").get(3, TimeUnit.SECONDS).name()).isEqualTo("orders");
    } finally {
      SwitchedStores.named(source).letGo();
    }
  }

  /** Requests that waited for the next attempt, in vain, would pile up. */
  @Test
  void refusesRequestsAtOnceAndShowsTheReasonUntilAnAttemptToOpenSucceeds() {
    namespaces = namespaces("namespaces: {orders: }");
    store.down(true);
    assertThat(refusal("orders")).hasMessage("Store switched: did not answer");
    store.hold();
    int asked = store.calls();
    while (store.calls() == asked) {
      assertThat(millisToRefusal("orders")).isLessThan(500);
    }
    assertThat(refusal("orders")).hasMessage("Store switched: did not answer");
    assertThat(namespaces.outage("orders")).contains("Store switched: did not answer");
    store.down(false);
    store.letGo();
    while (namespaces.opened("orders") == null) {
      Thread.onSpinWait();
    }
    assertThat(namespaces.outage("orders")).isEmpty();
  }

  private long millisToRefusal(String name) {
    long begin = System.nanoTime();
    refusal(name);
    return (System.nanoTime() - begin) / 1_000_000;
  }

  /** Returns the answer to a request for an ID. */
  private RequestException refusal(String name) {
    Caller caller =
        new Caller(TokenConfig.anonymous(RunningServer.config("redis")), TimeSource.system());
    CompletableFuture<long[]> answer = new CompletableFuture<>();
    namespaces.issue(
        caller,
        name,
        new long[1],
        1,
        (ids, next) ->
            ids.whenComplete(
                (issued, failure) -> {
                  if (failure == null) {
                    answer.complete(issued);
                  } else {
                    answer.completeExceptionally(failure);
                  }
                }),
        answer::complete);
    try {
      throw new AssertionError("issued " + answer.get(10, TimeUnit.SECONDS)[0]);
    } catch (ExecutionException e) {
      return RequestException.of(e);
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("no answer", e);
    }
  }

  @Test
  void forgetsAFailureWhenTheStoreIsBack() {
    store.down(true);
    failure("orders");
    store.down(false);
    while (namespaces.open("orders").isCompletedExceptionally()) {
      Thread.onSpinWait();
    }
    assertThat(namespaces.open("orders").join().name()).isEqualTo("orders");
    assertThat(namespaces.statuses().get(0).outage()).isEmpty();
  }

  private RequestException failure(String name) {
    try {
      namespaces.open(name).join();
    } catch (CompletionException e) {
      return RequestException.of(e);
    }
    throw new AssertionError("opened " + name);
  }

  @Test
  void isNotReadyUntilAllThatIsRequiredIsOpen() {
    namespaces = namespaces("namespaces: {orders: , refunds: }");
    assertThat(namespaces.outage()).contains("Namespace orders is being opened");
    namespaces.openRequired().join();
    assertThat(namespaces.outage()).isEmpty();
    assertThat(namespaces.statuses())
        .extracting(NamespaceStatus::name)
        .containsExactly("orders", "refunds");
  }

  @Test
  void opensRequiredNamespacesWhenTheStoreIsBack() {
    store.down(true);
    CompletableFuture<Void> tried = namespaces.openRequired();
    assertThatExceptionOfType(CompletionException.class).isThrownBy(tried::join);
    assertThat(namespaces.outage()).contains("Store switched: did not answer");
    store.down(false);
    while (namespaces.outage().isPresent()) {
      Thread.onSpinWait();
    }
    assertThat(namespaces.opened("default")).isNotNull();
  }

  @Test
  void isNotReadyBeyondTheFence() {
    namespaces = namespaces("defaults: {window: 2s}");
    namespaces.openRequired().join();
    assertThat(namespaces.outage()).isEmpty();
    store.down(true);
    while (namespaces.outage().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(namespaces.outage().orElseThrow())
        .matches(
            "The lease of worker \\d+ of default ended at \\S+ and was not renewed;"
                + " last error: Store .*");
    store.down(false);
    while (namespaces.outage().isPresent()) {
      Thread.onSpinWait();
    }
  }

  @Test
  void opensAsManyAsPermittedAndNoMore() {
    namespaces = namespaces("limits: {namespaces: 2}");
    namespaces.open("a").join();
    namespaces.open("b").join();
    try (LogLines log = new LogLines("io.firn.server")) {
      RequestException refusal = failure("c");
      assertThat(refusal.kind()).isEqualTo(RequestException.Kind.TOO_MANY);
      assertThat(refusal)
          .hasMessage("Namespace c cannot be opened: 2 are open, the limit (limits.namespaces)");
      assertThat(log.messages())
          .containsExactly("A namespace was not opened: 2 are open, the limit (limits.namespaces)");
    }
    assertThat(namespaces.open("a").join().name()).isEqualTo("a");
  }

  @Test
  void opensThoseOfNewSettingsAlsoBeyondTheLimitOfNames() {
    namespaces = namespaces("limits: {namespaces: 2}");
    namespaces.open("a").join();
    namespaces.open("b").join();
    namespaces.update(
        RunningServer.config(
            "redis", "limits: {namespaces: 2}", "namespaces: {orders: , refunds: }"));
    while (namespaces.opened("orders") == null || namespaces.opened("refunds") == null) {
      Thread.onSpinWait();
    }
    assertThat(namespaces.outage()).isEmpty();
    assertThat(failure("c").kind()).isEqualTo(RequestException.Kind.TOO_MANY);
  }

  /** One reload would otherwise take all servers out of a load balancer. */
  @Test
  void staysReadyWithoutWhatNewSettingsRequireUntilThatHasOpened() {
    String orders = "orders: {window: 10m}";
    namespaces = namespaces("namespaces: {" + orders + "}");
    store.down(true);
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(() -> namespaces.openRequired().join());
    assertThat(namespaces.outage()).contains("Store switched: did not answer");
    store.down(false);
    while (namespaces.opened("orders") == null) {
      Thread.onSpinWait();
    }
    store.down(true);
    String refunds = ", refunds: {window: 2s}";
    namespaces.update(RunningServer.config("redis", "namespaces: {" + orders + refunds + "}"));
    assertThat(namespaces.outage("refunds")).isPresent();
    assertThat(namespaces.outage()).isEmpty();
    store.down(false);
    while (namespaces.opened("refunds") == null) {
      Thread.onSpinWait();
    }
    assertThat(namespaces.outage()).isEmpty();
    store.down(true);
    while (namespaces.outage().isEmpty()) {
      Thread.onSpinWait();
    }
    assertThat(namespaces.outage().orElseThrow()).contains(" of refunds ended at ");
  }

  /** It would not open again while the store is down. */
  @Test
  void keepsANamespaceOnDemandThatNewSettingsHaveAsItIs() {
    OpenNamespace orders = namespaces.open("orders").join();
    store.down(true);
    namespaces.update(RunningServer.config("redis", "namespaces: {orders: }"));
    assertThat(namespaces.opened("orders")).isSameAs(orders);
    assertThat(orders.nextIds(1).join()).hasSize(1);
    assertThat(namespaces.outage()).isEmpty();
  }

  @Test
  void opensANamespaceOnDemandAgainThatNewSettingsHaveOtherwise() {
    String slow = "defaults: {layout: '41t+10w+2s@2026-01-01T00:00:00Z/1s'}";
    namespaces = namespaces(slow);
    OpenNamespace orders = namespaces.open("orders").join();
    CompletableFuture<long[]> waiting = orders.nextIds(40);
    namespaces.update(RunningServer.config("redis", slow, "namespaces: {orders: {window: 1m}}"));
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(waiting::join)
        .havingCause()
        .withMessage("Namespace orders was closed, by a reload or because it was not used; retry");
    while (namespaces.opened("orders") == null) {
      Thread.onSpinWait();
    }
    assertThat(namespaces.opened("orders")).isNotSameAs(orders);
  }

  /** Its clients would get Snowflake IDs where numbers are configured. */
  @Test
  void opensANamespaceAsNewSettingsHaveItThatIsAskedForWhileTheyAreTaken() throws Exception {
    CountDownLatch held = new CountDownLatch(1);
    TimeSource time =
        new ForwardingTimeSource(TimeSource.system()) {
          @Override
          public long nanoTime() {
            if (Thread.currentThread().getName().equals("holds the lock")) {
              await(held);
            }
            return super.nanoTime();
          }
        };
    namespaces =
        new Namespaces(RunningServer.config("redis"), store, new AuditLog(time), loops, time);
    Thread holds = startAndAwaitWait("holds the lock", () -> namespaces.open("other"));
    ServerConfig newest = RunningServer.config("redis", "namespaces: {bills: {type: segment}}");
    Thread reloads = startAndAwaitWait("reloads", () -> namespaces.update(newest));
    Thread asks = startAndAwaitWait("asks", () -> namespaces.open("bills"));
    held.countDown();
    for (Thread each : List.of(holds, reloads, asks)) {
      each.join();
    }
    assertThat(namespaces.open("bills").join()).isInstanceOf(OpenSegments.class);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Thread startAndAwaitWait(String name, Runnable action) {
    Thread thread = new Thread(action, name);
    thread.start();
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  @Test
  void closesWhatNewSettingsDoNotHaveAlthoughAnotherCannotBeClosed() throws Exception {
    namespaces =
        namespaces("namespaces: {a: {type: segment, source: 'unclosable:fails'}, b: , c: }");
    namespaces.openRequired().join();
    List<OpenNamespace> removed = List.of(opened("a"), opened("b"));
    try (LogLines log = new LogLines("io.firn.server")) {
      namespaces.update(RunningServer.config("redis", "namespaces: {c: }"));
      while (!removed.stream().allMatch(OpenNamespace::isClosed)) {
        Thread.sleep(1); // ends at the timeout
      }
      assertThat(log.messages())
          .containsExactly("Periodic work of the server failed; the rest of it goes on");
    }
    assertThat(opened("c").isClosed()).isFalse();
  }

  /** Its clients would get Snowflake IDs among their numbers. */
  @Test
  void opensNoNamespaceOnDemandThatCountedBefore() {
    String removed = "namespaces: {a: }";
    String counting = "namespaces: {a: , invoices: {type: segment}}";
    namespaces = namespaces(counting);
    namespaces.openRequired().join();
    assertThat(opened("invoices")).isInstanceOf(OpenSegments.class);
    namespaces.update(RunningServer.config("redis", removed));
    assertThat(failure("invoices").kind()).isEqualTo(RequestException.Kind.NOT_FOUND);
    assertThat(failure("invoices"))
        .hasMessage(
            "namespace: invoices, which counted until a reload removed it (expected: one of the"
                + " configuration, or another name)");
    assertThat(namespaces.open("other").join()).isInstanceOf(OpenSnowflakes.class);
    namespaces.update(RunningServer.config("redis", counting));
    assertThat(namespaces.open("invoices").join()).isInstanceOf(OpenSegments.class);
    namespaces.update(RunningServer.config("redis", removed));
    namespaces.update(RunningServer.config("redis", "namespaces: {a: , invoices: }"));
    assertThat(namespaces.open("invoices").join()).isInstanceOf(OpenSnowflakes.class);
  }

  @Test
  void refusesNewSettingsWithWhichANamespaceOnDemandCouldNeverOpen() {
    namespaces.open("orders").join();
    ServerConfig newest =
        RunningServer.config("redis", "namespaces: {orders: {type: segment, source: 'no:where'}}");
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> namespaces.check(newest))
        .withMessageContaining("no:where");
  }

  @Test
  void makesRoomForAnotherOnceAFailureIsStale() {
    namespaces = namespaces("limits: {namespaces: 1}");
    store.down(true);
    failure("a");
    store.down(false);
    while (namespaces.open("b").isCompletedExceptionally()) {
      Thread.onSpinWait();
    }
    assertThat(namespaces.open("b").join().name()).isEqualTo("b");
  }

  @Test
  void refusesANameThatCannotBe() {
    assertThat(failure("a b").kind()).isEqualTo(RequestException.Kind.BAD_REQUEST);
    assertThat(failure("a b"))
        .hasMessage("namespace: a b (expected: 1..64 of A-Z a-z 0-9 . _ : -)");
    assertThat(namespaces.statuses()).isEmpty();
  }

  @Test
  void refusesWhatIsNotConfiguredWhereThatIsNotWanted() {
    namespaces = namespaces("on-demand: off", "namespaces: {orders: }");
    assertThat(failure("other").kind()).isEqualTo(RequestException.Kind.NOT_FOUND);
    assertThat(failure("other")).hasMessage("namespace: other (expected: one of orders)");
  }

  @Test
  void refusesAnotherLayoutThanTheNamespaceHas() {
    namespaces.open("orders").join();
    Namespaces others = namespaces("defaults: {layout: twitter}");
    try {
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(() -> others.open("orders").join())
          .withMessageContaining("Namespace orders has layout ");
    } finally {
      others.close(new StopSteps(), SECOND);
    }
  }

  @Test
  void makesNamespacesAsTheyAreConfigured() {
    namespaces =
        namespaces(
            "instance: me",
            "namespaces:",
            "  orders: {layout: twitter, datacenter: 3, worker: 4, window: 1m}");
    namespaces.openRequired().join();
    SnowflakeStatus orders = (SnowflakeStatus) namespaces.statuses().get(0);
    assertThat(orders.lease().worker()).isEqualTo(3 * 32 + 4);
    assertThat(Duration.between(orders.lease().notBefore(), orders.lease().fence()))
        .isEqualTo(Duration.ofMinutes(1));
    assertThat(Namespace.of(store, "orders").workers().get(0).holder()).isEqualTo("me");
  }

  @Test
  void refusesACountThatTheLayoutNeverHasInTime() {
    namespaces =
        namespaces(
            "namespaces:",
            "  slow: {layout: '41t+10w+2s@2026-01-01T00:00:00Z/1s'}",
            "  wide: {layout: '41t+2w+20s@2026-01-01T00:00:00Z/1ms'}");
    namespaces.openRequired().join();
    OpenNamespace slow = namespaces.opened("slow");
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(() -> slow.issue(new long[41], 41))
        .withMessage(
            "count: 41 (expected: 1..40, the layout of namespace slow has no more in 10 s)")
        .matches(refusal -> refusal.kind() == RequestException.Kind.BAD_REQUEST);
    CompletableFuture<long[]> first = slow.nextIds(40);
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(() -> slow.nextIds(40))
        .withMessageContaining("Namespace slow has to issue ")
        .matches(refusal -> refusal.kind() == RequestException.Kind.UNAVAILABLE);
    first.cancel(false);
    assertThat(namespaces.opened("wide").nextIds(1_000_000).join()).isSorted();
  }

  private static final String NUMBERS =
      "namespaces: {numbers: {type: segment, step: 100, max-wait: 100ms}}";

  @Test
  void countsWhereSegmentsAreConfigured() {
    namespaces = namespaces(NUMBERS);
    namespaces.openRequired().join();
    assertThat(namespaces.outage()).isEmpty();
    long[] ids = new long[3];
    assertThat(namespaces.opened("numbers").issue(ids, 3)).isNull();
    assertThat(ids).containsExactly(1, 2, 3);
    assertThat(nextIds("numbers", 1000).join()).startsWith(4, 5).endsWith(1003);
    assertThat(((SegmentStatus) namespaces.statuses().get(0)).stats().issued()).isEqualTo(1003);
  }

  /** An alert builds on this number. */
  @Test
  void countsTheRequestsThatWaitForASegmentOrAreRefused() {
    namespaces = namespaces("namespaces: {numbers: {type: segment, max-wait: 20s}}");
    namespaces.openRequired().join();
    OpenNamespace numbers = opened("numbers");
    store.hold();
    List<CompletableFuture<long[]>> waiting = new ArrayList<>();
    while (waiting.size() < 3_000) {
      CompletableFuture<long[]> later = numbers.issue(new long[1], 1);
      if (later != null) {
        waiting.add(later);
      }
    }
    assertThat(((SegmentStatus) numbers.status()).stats().waits()).isEqualTo(3_000);
    store.letGo();
    waiting.forEach(CompletableFuture::join);
    namespaces.close(new StopSteps(), SECOND);
    assertThatExceptionOfType(FirnException.class).isThrownBy(() -> numbers.issue(new long[1], 1));
    assertThat(((SegmentStatus) numbers.status()).stats().waits()).isEqualTo(3_001);
  }

  /** One that is on demand is closed when it is not used. */
  @Test
  void eachUseOfANamespaceCounts() {
    namespaces = namespaces("namespaces: {orders: , numbers: {type: segment}}");
    namespaces.openRequired().join();
    for (OpenNamespace each : List.of(opened("orders"), opened("numbers"))) {
      NamespaceEntry entry =
          new NamespaceEntry(each.name(), each.status().config(), () -> each, TimeSource.system());
      entry.open(Runnable::run).join();
      assertThat(entry.unusedChecks()).isEqualTo(1);
      assertThat(entry.unusedChecks()).isEqualTo(2);
      each.nextIds(1).join();
      assertThat(entry.unusedChecks()).isZero();
      assertThat(entry.unusedChecks()).isEqualTo(1);
      if (each instanceof OpenSegments source) {
        source.nextSegment();
        assertThat(entry.unusedChecks()).isZero();
      }
    }
  }

  private OpenNamespace opened(String name) {
    return Objects.requireNonNull(namespaces.opened(name));
  }

  @Test
  void refusesAtOnceWhileTheSourceOfSegmentsIsDown() {
    namespaces = namespaces(NUMBERS);
    namespaces.openRequired().join();
    store.down(true);
    OpenNamespace numbers = namespaces.opened("numbers");
    long[] ids = new long[1];
    int issued = 0;
    CompletableFuture<long[]> waiting = numbers.issue(ids, 1);
    while (waiting == null) {
      issued++;
      waiting = numbers.issue(ids, 1);
    }
    assertThat(issued).isBetween(100, 300);
    assertThat(namespaces.outage().orElseThrow())
        .startsWith("No number of key numbers is left from switched:");
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(waiting::join)
        .withMessageContaining("ey numbers ");
    RuntimeException refusal = refusalAtOnce(numbers);
    assertThat(refusal).hasMessageContaining("Key numbers has 0 IDs left, and ");
    store.down(false);
    assertThat(patientlyNextId("numbers")).isPositive();
  }

  /** Those who waited are refused at the latest when the source counts as down. */
  private static RuntimeException refusalAtOnce(OpenNamespace numbers) {
    while (true) {
      try {
        numbers.nextIds(1).join();
      } catch (CompletionException e) {
        assertThat(e).hasCauseInstanceOf(RequestException.class);
      } catch (SegmentUnavailableException e) {
        return e;
      }
    }
  }

  /** A counter asks its store again after a pause, which may be longer than a request waits. */
  private long patientlyNextId(String name) {
    while (true) {
      try {
        return nextIds(name, 1).join()[0];
      } catch (CompletionException e) {
        assertThat(e).hasCauseInstanceOf(FirnException.class);
      }
    }
  }

  @Test
  void doesNotOpenACounterThatGivesNothing() {
    namespaces = namespaces(NUMBERS);
    store.down(true);
    RequestException refusal = failure("numbers");
    assertThat(refusal.kind()).isEqualTo(RequestException.Kind.UNAVAILABLE);
    assertThat(refusal.getMessage())
        .isEqualTo(
            "No number of key numbers is left from switched:;"
                + " last error: Store switched: did not answer");
    assertThat(refusal.code()).isEqualTo("segment_unavailable");
  }

  @Test
  void issuesWithoutKeepingTheCallerWaiting() {
    long[] ids = nextIds("orders", 30_000).join();
    assertThat(ids).hasSize(30_000).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void givesTheLeasesBackAndIssuesNothingAfterwards() {
    OpenNamespace orders = namespaces.open("orders").join();
    namespaces.close(new StopSteps(), SECOND);
    assertThat(Namespace.of(store, "orders").workers())
        .allSatisfy(worker -> assertThat(worker.held()).isFalse());
    assertThat(failure("other")).hasMessage("This server is stopping; retry with another server");
    assertThat(orders.isClosed()).isTrue();
    assertThatExceptionOfType(FirnException.class).isThrownBy(() -> orders.nextIds(1));
  }

  @Test
  void endsInTimeWhenTheStoreDoesNotAnswer() {
    namespaces.open("orders").join();
    store.hold();
    long begin = System.nanoTime();
    namespaces.close(new StopSteps(), SECOND / 10);
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(SECOND / 10);
    store.letGo();
  }

  /** A thread that is interrupted parks no more: it would keep a processor busy. */
  @Test
  void waitsForNoFirstSegmentOnceItIsClosed() throws InterruptedException {
    namespaces = namespaces("namespaces: {numbers: {type: segment, max-wait: 1m}}");
    store.hold();
    Set<Thread> before = openers();
    namespaces.open("numbers");
    while (before.containsAll(openers()) || store.calls() == 0) {
      Thread.sleep(1); // ends at the timeout
    }
    Set<Thread> opening = openers();
    opening.removeAll(before);
    namespaces.close(new StopSteps(), SECOND);
    while (opening.stream().anyMatch(Thread::isAlive)) {
      Thread.sleep(1);
    }
  }

  private static Set<Thread> openers() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("firn-opener"))
        .collect(Collectors.toCollection(HashSet::new));
  }

  private CompletableFuture<long[]> nextIds(String name, int count) {
    return namespaces.open(name).thenCompose(namespace -> namespace.nextIds(count));
  }
}
