package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.IdHistory;
import io.firn.testkit.IdHistory.Report;
import io.firn.testkit.TestThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/** Workloads of threads that call a generator at the same time. */
public final class Callers {

  private static final long MIB = 1 << 20;

  private Callers() {}

  /** The workload of one thread, which records its IDs with its writer. */
  public interface Caller {
    void call(IdHistory.Writer writer) throws Exception;
  }

  /** Runs every caller on a thread of its own, and compares their IDs. */
  public static Report together(Caller... callers) throws Exception {
    try (IdHistory history = new IdHistory(callers.length, callers.length * 4L * MIB)) {
      List<Callable<Caller>> tasks = new ArrayList<>();
      for (Caller caller : callers) {
        IdHistory.Writer writer = history.newWriter();
        tasks.add(
            () -> {
              caller.call(writer);
              return caller;
            });
      }
      TestThreads.together(tasks);
      return history.finish();
    }
  }

  /** Requests IDs one at a time. */
  public static Caller one(IdGenerator generator, int count) {
    return writer -> {
      for (int i = 0; i < count; i++) {
        writer.add(generator.nextId());
      }
    };
  }

  /** Requests at least {@code count} IDs, 777 at a time. */
  public static Caller bulk(IdGenerator generator, int count) {
    return writer -> {
      long[] ids = new long[777];
      for (int i = 0; i < count; i += ids.length) {
        generator.nextIds(ids);
        writer.add(ids, 0, ids.length);
      }
    };
  }

  /** Checks that no ID was issued twice and that the IDs of each thread grew. */
  public static void isClean(Report report, long atLeast) {
    assertThat(report.duplicates()).as("duplicates %s", report.firstDuplicates()).isZero();
    assertThat(report.disorders()).isZero();
    assertThat(report.count()).isGreaterThanOrEqualTo(atLeast);
  }
}
