package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.FirnException;
import io.firn.GeneratorClosedException;
import io.firn.IdGenerator;
import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.StoreException;
import io.firn.testkit.SwitchedStore;
import io.firn.testkit.TestThreads;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class NamespaceGeneratorTest {

  private final AtomicInteger attempts = new AtomicInteger();

  private static NamespaceGenerator orders(Supplier<IdGenerator> opener) {
    return new NamespaceGenerator("orders", true, FirnProperties.Type.SNOWFLAKE, null, opener);
  }

  @Test
  void callersThatWaitForTheStoreShareItsFailure() throws Exception {
    CountDownLatch down = new CountDownLatch(1);
    AtomicInteger failures = new AtomicInteger();
    NamespaceGenerator generator =
        orders(
            () -> {
              attempts.incrementAndGet();
              TestThreads.await(down);
              throw new FirnException("planted");
            });
    TestThreads callers = new TestThreads();
    for (int caller = 0; caller < 10; caller++) {
      callers.start(
          () -> {
            assertThatThrownBy(generator::nextId).isInstanceOf(FirnException.class);
            failures.incrementAndGet();
          });
    }
    callers.awaitWaiting();
    down.countDown();
    callers.join();
    assertThat(failures).hasValue(10);
    assertThat(attempts).hasValue(1);
  }

  @Test
  void refusesAfterTheStopAlsoWhatWasNeverOpened() {
    NamespaceGenerator generator =
        orders(
            () -> {
              attempts.incrementAndGet();
              return () -> 1;
            });
    generator.stop();
    assertThatThrownBy(generator::nextId).isInstanceOf(GeneratorClosedException.class);
    assertThat(attempts).hasValue(0);
    generator.start();
    assertThat(generator.nextId()).isOne();
  }

  @Test
  void theStartPreparesAgainWhatAFirstRequestCouldNotPrepare() {
    SwitchedStore store = new SwitchedStore();
    AtomicInteger prepared = new AtomicInteger();
    ScopeCheck failsOnce =
        new ScopeCheck() {
          @Override
          public void beforeCommit(IdScope scope) {}

          @Override
          public void prepare(Snowflake generator) {
            if (prepared.incrementAndGet() == 1) {
              throw new StoreException("planted");
            }
          }
        };
    NamespaceGenerator generator =
        new NamespaceGenerator(
            "orders",
            true,
            FirnProperties.Type.SNOWFLAKE,
            failsOnce,
            () -> Snowflake.builder().lease(store, "orders").build());
    assertThatThrownBy(generator::nextId).isInstanceOf(StoreException.class);
    assertThat(generator.isRunning()).isFalse();
    assertThat(Namespace.of(store, "orders").workers()).noneMatch(WorkerEntry::held);
    generator.start();
    assertThat(prepared).hasValue(2);
    assertThat(generator.isRunning()).isTrue();
    generator.stop();
  }
}
