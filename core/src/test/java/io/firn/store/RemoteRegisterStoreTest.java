package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** Tests of the base class for authors of stores. */
class RemoteRegisterStoreTest {

  private static final long TEN_SECONDS = TimeUnit.SECONDS.toNanos(10);

  /** Keeps nothing, and writes down what it was asked. */
  private static final class RecordingStore extends RemoteRegisterStore {
    private final List<String> asked = new ArrayList<>();

    RecordingStore() {
      super(Duration.ofSeconds(3));
    }

    @Override
    protected List<Register> readAll(List<String> names, StoreCall call) {
      asked.add("read " + names + " interrupted " + Thread.currentThread().isInterrupted());
      return List.of(new Register(names.get(0), 1, "value"));
    }

    @Override
    protected List<Register> scan(String prefix, StoreCall call) {
      throw call.failed(new IllegalStateException("outer", new IllegalStateException("inner")));
    }

    @Override
    protected WriteResult compareAndSet(String name, long version, String value, StoreCall call) {
      asked.add("write " + name);
      return WriteResult.CONFLICT;
    }

    @Override
    protected void disconnect() {
      asked.add("disconnect");
    }

    @Override
    public String toString() {
      return "recording:";
    }
  }

  private final RecordingStore store = new RecordingStore();

  @Test
  void namesAndValuesAreCheckedBeforeTheStoreIsAsked() {
    assertThatThrownBy(() -> store.read("")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.compareAndSet("", 0, "x"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.compareAndSet("a", 0, "\0"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(store.readAll(List.of())).isEmpty();
    assertThat(store.asked).isEmpty();
  }

  @Test
  void readingOneIsReadingAll() {
    assertThat(store.read("a")).contains(new Register("a", 1, "value"));
    assertThat(store.asked).containsExactly("read [a] interrupted false");
  }

  @Test
  void interruptedThreadFinishesItsCallAndStaysInterrupted() {
    Thread.currentThread().interrupt();
    store.read("a");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(store.asked).containsExactly("read [a] interrupted false");
  }

  @Test
  void closedStoreRefusesCallsAndDisconnectsOnce() {
    store.close();
    store.close();
    assertThat(store.asked).containsExactly("disconnect");
    for (Runnable call :
        List.<Runnable>of(
            () -> store.read("a"),
            () -> store.scan(""),
            () -> store.compareAndSet("a", 0, "x"),
            store::currentTimeMillis)) {
      assertThatThrownBy(call::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("Store recording: is closed; close it after its generators");
    }
  }

  @Test
  void failureNamesTheStoreTheTimeAndTheInnermostReason() {
    assertThatThrownBy(() -> store.scan(""))
        .isInstanceOf(StoreException.class)
        .hasMessageMatching("Store recording: failed after \\d+ ms: inner");
  }

  @Test
  void reasonIsOneLineOfTheInnermostCauseThatHasAMessage() {
    assertThat(StoreCall.reason(new IllegalStateException("a\n  b", new IllegalStateException())))
        .isEqualTo("a b");
    assertThat(StoreCall.reason(new IllegalStateException()))
        .isEqualTo("java.lang.IllegalStateException");
    Exception circle = new Exception("first");
    circle.initCause(new Exception("second", circle));
    assertThat(StoreCall.reason(circle)).isIn("first", "second");
  }

  @Test
  void timeThatIsLeftIsNeverZeroMilliseconds() {
    StoreCall over = new StoreCall("x", Duration.ofNanos(1));
    assertThat(over.isOver()).isTrue();
    assertThat(over.leftMillis()).isEqualTo(1);
    StoreCall begun = new StoreCall("x", Duration.ofMinutes(1));
    assertThat(begun.isOver()).isFalse();
    assertThat(begun.leftMillis()).isBetween(30_000L, 60_000L);
    assertThat(begun.passedMillis()).isBetween(0L, 30_000L);
  }

  @Test
  void actionRunsOnAnotherThreadAndItsFailureIsTheCallers() throws Exception {
    StoreThreads threads = new StoreThreads("firn-test");
    assertThat(threads.run(() -> Thread.currentThread().getName(), TEN_SECONDS, late -> {}))
        .isEqualTo("firn-test");
    assertThatThrownBy(
            () ->
                threads.run(
                    () -> {
                      throw new NoClassDefFoundError("driver");
                    },
                    TEN_SECONDS,
                    late -> {}))
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseInstanceOf(NoClassDefFoundError.class);
  }

  @Test
  void resultThatComesTooLateIsHandedBack() throws Exception {
    StoreThreads threads = new StoreThreads("firn-test");
    CountDownLatch open = new CountDownLatch(1);
    CompletableFuture<String> late = new CompletableFuture<>();
    assertThatThrownBy(
            () ->
                threads.run(
                    () -> {
                      open.await();
                      return "late";
                    },
                    TimeUnit.SECONDS.toNanos(1), // enough for it to begin
                    late::complete))
        .isInstanceOf(TimeoutException.class);
    open.countDown();
    assertThat(late.get(60, TimeUnit.SECONDS)).isEqualTo("late");
  }
}
