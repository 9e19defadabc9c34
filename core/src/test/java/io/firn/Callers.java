package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.IdHistory;
import io.firn.testkit.IdHistory.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;

/** Threads that call a generator at the same time. */
public final class Callers {

  private static final long MIB = 1 << 20;

  private Callers() {}

  /** What one thread does with the history's writer for it. */
  public interface Caller {
    void call(IdHistory.Writer writer) throws Exception;
  }

  /** Lets every caller run on a thread of its own, and compares what they got. */
  public static Report together(Caller... callers) throws Exception {
    try (IdHistory history = new IdHistory(callers.length, callers.length * 4L * MIB)) {
      CyclicBarrier start = new CyclicBarrier(callers.length);
      List<FutureTask<Void>> tasks = new ArrayList<>();
      for (Caller caller : callers) {
        IdHistory.Writer writer = history.newWriter();
        FutureTask<Void> task =
            new FutureTask<>(
                () -> {
                  start.await();
                  caller.call(writer);
                  return null;
                });
        tasks.add(task);
        new Thread(task).start();
      }
      for (FutureTask<Void> task : tasks) {
        task.get();
      }
      return history.finish();
    }
  }

  /** Takes so many IDs, one at a time. */
  public static Caller one(IdGenerator generator, int count) {
    return writer -> {
      for (int i = 0; i < count; i++) {
        writer.add(generator.nextId());
      }
    };
  }

  /** Takes at least so many IDs, 777 at a time. */
  public static Caller bulk(IdGenerator generator, int count) {
    return writer -> {
      long[] ids = new long[777];
      for (int i = 0; i < count; i += ids.length) {
        generator.nextIds(ids);
        writer.add(ids, 0, ids.length);
      }
    };
  }

  /** Demands that no ID came twice, and that those of each thread grew. */
  public static void isClean(Report report, long atLeast) {
    assertThat(report.duplicates()).as("duplicates %s", report.firstDuplicates()).isZero();
    assertThat(report.disorders()).isZero();
    assertThat(report.count()).isGreaterThanOrEqualTo(atLeast);
  }
}
