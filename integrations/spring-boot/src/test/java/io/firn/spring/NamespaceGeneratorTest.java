package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.FirnException;
import io.firn.IdGenerator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class NamespaceGeneratorTest {

  private final AtomicInteger attempts = new AtomicInteger();

  private static NamespaceGenerator orders(Supplier<IdGenerator> opener) {
    return new NamespaceGenerator("orders", FirnProperties.Type.SNOWFLAKE, null, opener);
  }

  @Test
  void callersThatWaitForTheStoreShareItsFailure() throws Exception {
    CountDownLatch down = new CountDownLatch(1);
    AtomicInteger failures = new AtomicInteger();
    NamespaceGenerator generator =
        orders(
            () -> {
              attempts.incrementAndGet();
              await(down);
              throw new FirnException("planted");
            });
    List<Thread> callers = new ArrayList<>();
    for (int caller = 0; caller < 10; caller++) {
      callers.add(
          new Thread(
              () -> {
                assertThatThrownBy(generator::nextId).isInstanceOf(FirnException.class);
                failures.incrementAndGet();
              }));
    }
    callers.forEach(Thread::start);
    while (!callers.stream().allMatch(caller -> caller.getState() == Thread.State.WAITING)) {
      Thread.onSpinWait();
    }
    down.countDown();
    for (Thread caller : callers) {
      caller.join();
    }
    assertThat(failures).hasValue(10);
    assertThat(attempts).hasValue(1);
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
