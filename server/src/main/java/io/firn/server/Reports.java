package io.firn.server;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes answers that take long, in threads that are no event loops. Of one that is canceled,
 * because its client has left, next to nothing stays in the queue: attackers can leave and come
 * again faster than answers are made. Thread-safe.
 */
public final class Reports {

  private static final int THREADS = 2;

  private final Executor threads;

  /** Creates a maker of answers whose threads have that name. */
  Reports(String name) {
    threads = DaemonThreads.pool(THREADS, new LinkedBlockingQueue<>(), name);
  }

  /**
   * Makes an answer.
   *
   * @param maker returns the answer; its exception is that of the result
   */
  public <T> CompletableFuture<T> report(Supplier<T> maker) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    make(answer, maker);
    return answer;
  }

  /**
   * Makes an answer out of something that comes later, whose failure is that of the result.
   *
   * @param maker returns the answer; its exception is that of the result
   */
  public <S, T> CompletableFuture<T> report(CompletableFuture<S> source, Function<S, T> maker) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    source.whenComplete(
        (value, failure) -> {
          if (failure == null) {
            make(answer, () -> maker.apply(value));
          } else {
            answer.completeExceptionally(failure);
          }
        });
    return answer;
  }

  private <T> void make(CompletableFuture<T> answer, Supplier<T> maker) {
    AtomicReference<@Nullable Runnable> left =
        new AtomicReference<>(() -> answer.completeAsync(maker, Runnable::run));
    answer.whenComplete((value, failure) -> left.set(null));
    threads.execute(
        () -> {
          Runnable wanted = left.get();
          if (wanted != null) {
            wanted.run();
          }
        });
  }
}
