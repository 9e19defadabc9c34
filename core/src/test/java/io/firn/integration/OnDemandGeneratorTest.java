package io.firn.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.GeneratorClosedException;
import io.firn.IdLayout;
import io.firn.integration.OnDemandGenerator.Started;
import io.firn.lease.LayoutMismatchException;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.StoreProvider;
import io.firn.store.StoreUri;
import io.firn.testkit.TestThreads;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class OnDemandGeneratorTest {

  /** Serves {@code counted://}: stores of which it is known how many are open. */
  public static final class Counted implements StoreProvider {
    static int open;

    @Override
    public Set<String> schemes() {
      return Set.of("counted");
    }

    @Override
    public String form() {
      return "counted://HOST";
    }

    @Override
    public RegisterStore open(StoreUri uri) {
      open++;
      return new ForwardingRegisterStore(new InMemoryRegisterStore()) {
        @Override
        public void close() {
          open--;
        }
      };
    }
  }

  @TempDir Path directory;

  private OnDemandGenerator leasing(Map<String, ?> settings) {
    return OnDemandGenerator.leasing(
        "file:" + directory,
        "orders",
        GeneratorSettings.of(setting -> settings.get(setting.key())));
  }

  private List<WorkerEntry> workers() {
    return Namespace.of(RegisterStore.open("file:" + directory), "orders").workers();
  }

  private static long[] next(OnDemandGenerator generator, int count) {
    long[] ids = new long[count];
    generator.nextIds(ids);
    return ids;
  }

  @Test
  void leasesWhenTheFirstIdIsRequested() {
    OnDemandGenerator generator = leasing(Map.of());
    assertThat(workers()).isEmpty();

    long first = generator.nextId();
    assertThat(next(generator, 3)).hasSize(3).isSorted().doesNotHaveDuplicates();
    assertThat(generator.nextId()).isGreaterThan(first);
    assertThat(workers()).hasSize(1).allMatch(WorkerEntry::held);

    generator.close();
    assertThat(workers()).hasSize(1).noneMatch(WorkerEntry::held);
    assertThatExceptionOfType(GeneratorClosedException.class).isThrownBy(generator::nextId);
  }

  @Test
  void leasesTheWorkerThatTheSettingsNameAfterEachRestart() {
    Map<String, String> settings = Map.of("layout", "twitter", "datacenter", "3", "worker", "4");
    for (int restart = 0; restart < 2; restart++) {
      try (OnDemandGenerator generator = leasing(settings)) {
        long id = generator.nextId();
        assertThat(IdLayout.TWITTER.parse(id).datacenter()).isEqualTo(3);
        assertThat(IdLayout.TWITTER.parse(id).worker()).isEqualTo(4);
      }
    }
  }

  @Test
  void failsTheFirstRequestInANamespaceOfAnotherLayout() {
    try (OnDemandGenerator twitter = leasing(Map.of("layout", "twitter"));
        OnDemandGenerator classic = leasing(Map.of())) {
      assertThat(twitter.nextId()).isPositive();
      assertThatExceptionOfType(LayoutMismatchException.class).isThrownBy(classic::nextId);
    }
  }

  @Test
  void startsAtTheSecondAttemptIfTheFirstFailed() throws Exception {
    try (OnDemandGenerator generator = leasing(Map.of())) {
      try (OnDemandGenerator twitter = leasing(Map.of("layout", "twitter"))) {
        assertThat(twitter.nextId()).isPositive();
        assertThatExceptionOfType(LayoutMismatchException.class).isThrownBy(generator::nextId);
      }
      try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
        for (Path file : files) {
          Files.delete(file);
        }
      }
      assertThat(generator.nextId()).isPositive();
    }
  }

  @Test
  @Timeout(60)
  void callersThatWaitForAnAttemptShareItsFailure() throws Exception {
    AtomicInteger attempts = new AtomicInteger();
    AtomicInteger failures = new AtomicInteger();
    CountDownLatch down = new CountDownLatch(1);
    OnDemandGenerator generator =
        new OnDemandGenerator(
            "memory:",
            store -> {
              attempts.incrementAndGet();
              TestThreads.await(down);
              throw new StoreException("Store planted did not answer");
            });
    TestThreads callers = new TestThreads();
    for (int caller = 0; caller < 10; caller++) {
      callers.start(
          () -> {
            assertThatExceptionOfType(StoreException.class).isThrownBy(generator::nextId);
            failures.incrementAndGet();
          });
    }
    callers.awaitWaiting();
    down.countDown();
    callers.join();
    assertThat(failures).hasValue(10);
    assertThat(attempts).hasValue(1);
    assertThatExceptionOfType(StoreException.class).isThrownBy(generator::nextId);
    assertThat(attempts).hasValue(2);
  }

  @Test
  void namesSettingsInMessagesAsTheirUserDoes() {
    try (OnDemandGenerator generator = leasing(Map.of("max-lead", "16s"))) {
      assertThatIllegalArgumentException()
          .isThrownBy(generator::nextId)
          .withMessage("max-lead: 16s (expected: at most half the lease's window of 30s)");
    }
  }

  @Test
  void startsNothingAfterItWasClosed() {
    OnDemandGenerator generator = leasing(Map.of());
    generator.close();
    assertThatExceptionOfType(GeneratorClosedException.class)
        .isThrownBy(generator::nextId)
        .withMessage(
            "The generator is closed and issues no more IDs; close it after its last caller");
    assertThat(workers()).isEmpty();
  }

  @Test
  void closesItsStoreWhenAnErrorIsThrown() throws Exception {
    Path services = Files.createDirectories(directory.resolve("META-INF/services"));
    Files.writeString(services.resolve(StoreProvider.class.getName()), Counted.class.getName());
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader =
        new URLClassLoader(new URL[] {directory.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      AtomicBoolean fails = new AtomicBoolean(true);
      OnDemandGenerator generator =
          new OnDemandGenerator(
              "counted://h",
              store -> {
                fail(fails);
                return new Started(() -> 1, () -> fail(fails));
              });
      assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(generator::nextId);
      assertThat(Counted.open).isZero();

      fails.set(false);
      assertThat(generator.nextId()).isOne();
      assertThat(Counted.open).isOne();

      fails.set(true);
      assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(generator::close);
      assertThat(Counted.open).isZero();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static void fail(AtomicBoolean fails) {
    if (fails.get()) {
      throw new OutOfMemoryError("planted");
    }
  }

  @Test
  void countsInAStore() {
    String store = "file:" + directory;
    try (OnDemandGenerator numbers = OnDemandGenerator.counting(store, "orders", 5L)) {
      assertThat(numbers.nextId()).isEqualTo(1);
      assertThat(next(numbers, 2)).containsExactly(2, 3);
    }
    try (OnDemandGenerator numbers = OnDemandGenerator.counting(store, "orders", null)) {
      assertThat(numbers.nextId()).isEqualTo(4);
    }
  }

  @Test
  void countsAKeyThatIsChosenAmongTheCountersThatAreThere() {
    String store = "file:" + directory;
    try (OnDemandGenerator numbers = OnDemandGenerator.counting(store, "orders", 5L)) {
      assertThat(numbers.nextId()).isEqualTo(1);
    }
    try (OnDemandGenerator numbers =
        OnDemandGenerator.counting(store, counters -> counters.entries().get(0).key(), 5L)) {
      assertThat(numbers.nextId()).isEqualTo(2);
    }
  }

  @Test
  void refusesAStepOutOfRange() {
    try (OnDemandGenerator numbers = OnDemandGenerator.counting("memory:", "orders", 0L)) {
      assertThatIllegalArgumentException()
          .isThrownBy(numbers::nextId)
          .withMessage("step: 0 (expected: 1..1000000000)");
    }
  }
}
