package io.firn.examples;

import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentGenerator;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Path;
import java.time.Duration;

/** Dense, growing numbers from a counter that all processes of the host share. */
public final class SharedCounter {

  private SharedCounter() {}

  /** Prints a few numbers; continues where the last run stopped. */
  public static void main(String[] args) {
    Path directory = Path.of(args[0]);
    // begin counter
    RegisterStore store = FileRegisterStore.open(directory);
    RegisterSegments counters = RegisterSegments.of(store);
    try (SegmentGenerator invoices = SegmentGenerator.builder(counters, "invoices").build()) {
      System.out.println("invoice " + invoices.nextId());
      System.out.println("invoice " + invoices.nextId());
    }
    // end

    // begin settings
    SegmentGenerator events =
        SegmentGenerator.builder(counters, "events")
            .adaptiveStep(100, 100_000)
            .maxAhead(1_000_000)
            .maxWait(Duration.ofMillis(500))
            .build();
    long[] batch = new long[250];
    events.nextIds(batch);
    System.out.println("events " + batch[0] + ".." + batch[249]);
    events.close();
    // end

    // begin raise
    long next = counters.raise("invoices", 100_000);
    System.out.println("the next invoice is " + next + " or later");
    // end
  }
}
