package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.server.config.TokenConfig;
import io.firn.server.config.TokenScope;
import io.firn.testkit.SwitchedStore;
import io.firn.time.TimeSource;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the timers of scopes. */
@Timeout(30)
final class ClientScopesTest {

  private static final Duration LIMIT = Duration.ofMinutes(1);

  private final TimeSource time = TimeSource.system();
  private final EventLoops loops = new EventLoops(1, time);
  private final Namespaces namespaces =
      new Namespaces(
          RunningServer.config("redis"), new SwitchedStore(), new AuditLog(time), loops, time);
  private final Timers timers = new Timers();
  private final ClientScopes scopes = new ClientScopes(timers, time);
  private final Caller caller =
      new Caller(TokenConfig.anonymous(RunningServer.config("redis")), time);
  private OpenNamespace orders;

  /** Keeps the tasks that were scheduled. */
  private static final class Timers extends DefaultEventExecutorGroup {

    private final Queue<Future<?>> tasks = new ConcurrentLinkedQueue<>();

    /** True if each task also runs before its future is there. */
    private boolean atOnce;

    Timers() {
      super(1);
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
      if (atOnce) {
        Thread timer = new Thread(command);
        timer.start();
        join(timer);
      }
      ScheduledFuture<?> task = super.schedule(command, delay, unit);
      tasks.add(task);
      return task;
    }
  }

  private static void join(Thread timer) {
    try {
      timer.join(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @BeforeEach
  void open() {
    orders = namespaces.open("orders").join();
  }

  @AfterEach
  void close() {
    timers.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    namespaces.close(new StopSteps(), TimeUnit.SECONDS.toNanos(1));
    loops.close();
  }

  @Test
  void theTimerOfAScopeEndsWithIt() {
    scopes.open("one", caller, orders, LIMIT);
    scopes.end(caller, "one");
    assertThat(timers.tasks).hasSize(1).allMatch(Future::isCancelled);
  }

  /** Draws that are refused would otherwise fill the memory for a minute. */
  @Test
  void theTimerOfADroppedScopeEndsWithIt() {
    scopes.open("one", caller, orders, LIMIT);
    scopes.open("two", caller, orders, LIMIT);
    scopes.drop("one");
    assertThat(timers.tasks).extracting(Future::isCancelled).containsExactly(true, false);
    assertThat(scopes.namespaces()).containsExactly("orders");
    scopes.drop("two");
    assertThat(timers.tasks).hasSize(2).allMatch(Future::isCancelled);
    assertThat(scopes.namespaces()).isEmpty();
  }

  @Test
  void aCallerMayOpenAnyNumberOfScopesOneAfterTheOther() {
    for (int i = 0; i <= 20_000; i++) { // as many as may be open at once, and one
      scopes.open("one", caller, orders, LIMIT);
      scopes.end(caller, "one");
    }
    assertThat(scopes.namespaces()).isEmpty();
  }

  @Test
  void aScopeIsEndedOnlyByACallerThatMayUseItsNamespace() {
    TokenConfig bills =
        new TokenConfig(
            "bills",
            "a-secret",
            List.of("bills"),
            Set.of(TokenScope.ISSUE),
            false,
            OptionalInt.empty(),
            OptionalInt.empty());
    scopes.open("one", caller, orders, LIMIT);
    assertThatExceptionOfType(RequestException.class)
        .isThrownBy(() -> scopes.end(new Caller(bills, time), "one"))
        .withMessageStartingWith("namespace: orders (expected: one of bills, ");
    assertThat(scopes.namespaces()).containsExactly("orders");
    scopes.end(caller, "one");
  }

  @Test
  void aScopeEndsAtItsTime() throws InterruptedException {
    scopes.open("one", caller, orders, Duration.ofMillis(20));
    while (!scopes.namespaces().isEmpty()) {
      TimeUnit.MILLISECONDS.sleep(1); // ends at the timeout
    }
  }

  @Test
  void anInterruptEndsTheWaitForOpenScopes() {
    scopes.open("one", caller, orders, LIMIT);
    long begin = time.nanoTime();
    Thread.currentThread().interrupt();
    scopes.awaitEnds(TimeUnit.SECONDS.toNanos(10));
    assertThat(Thread.interrupted()).isTrue();
    assertThat(time.nanoTime() - begin).isLessThan(TimeUnit.SECONDS.toNanos(5));
  }

  /** The process may pause between the start of a timer and the next step. */
  @Test
  void aScopeEndsThoughItsTimeIsOverBeforeItIsKept() throws InterruptedException {
    timers.atOnce = true;
    scopes.open("one", caller, orders, LIMIT);
    while (!scopes.namespaces().isEmpty()) {
      TimeUnit.MILLISECONDS.sleep(1); // ends at the timeout
    }
  }
}
