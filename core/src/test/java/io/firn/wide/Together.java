package io.firn.wide;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;

/** Threads that begin at once. */
final class Together {

  private Together() {}

  /** What each of four threads got, in order. */
  static <T> List<List<T>> issue(WideIdGenerator<T> generator, int each) throws Exception {
    int threads = 4;
    CyclicBarrier start = new CyclicBarrier(threads);
    List<FutureTask<List<T>>> tasks = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      FutureTask<List<T>> task =
          new FutureTask<>(
              () -> {
                start.await();
                return take(generator, each);
              });
      tasks.add(task);
      new Thread(task).start();
    }
    List<List<T>> issued = new ArrayList<>();
    for (FutureTask<List<T>> task : tasks) {
      issued.add(task.get());
    }
    return issued;
  }

  static <T> List<T> take(WideIdGenerator<T> generator, int count) {
    List<T> ids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ids.add(generator.nextId());
    }
    return ids;
  }
}
