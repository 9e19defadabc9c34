package io.firn.wide;

import io.firn.testkit.TestThreads;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

/** Requests to generators of wide IDs. */
final class Requests {

  private Requests() {}

  /** Requests IDs from four threads at once, and returns those of each thread in order. */
  static <T> List<List<T>> issue(WideIdGenerator<T> generator, int each) throws Exception {
    Callable<List<T>> task = () -> take(generator, each);
    return TestThreads.together(Collections.nCopies(4, task));
  }

  static <T> List<T> take(WideIdGenerator<T> generator, int count) {
    List<T> ids = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      ids.add(generator.nextId());
    }
    return ids;
  }
}
