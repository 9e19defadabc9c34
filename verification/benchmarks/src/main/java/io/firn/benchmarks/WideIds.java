package io.firn.benchmarks;

import io.firn.text.IdFormat;
import io.firn.time.TimeSource;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Contenders that make an object each time, an ID or its text. */
final class WideIds {

  /** In the middle of an array that nobody else writes to. */
  private static final int LAST = 16;

  private static final long FIRST_ID = 117_610_173_326_504_099L;

  /** From one ID of a busy generator to the next of the same worker, and odd. */
  private static final long STEP = 4_194_305;

  private WideIds() {}

  /** One generator for all threads. */
  static Supplier<LongSupplier> shared(Supplier<?> ids) {
    return () -> kept(ids);
  }

  static Supplier<LongSupplier> sparingTheClock(int idsPerClockRead) {
    return shared(Uuids.v7(TimeSource.system(), idsPerClockRead)::nextId);
  }

  static Supplier<LongSupplier> ulidGeneratorEach() {
    return () -> kept(Ulid.generator(TimeSource.system())::nextId);
  }

  /** Texts of numbers that grow as IDs do. */
  static Supplier<LongSupplier> texts(LongFunction<String> format) {
    return () -> {
      long[] id = {FIRST_ID};
      return kept(() -> format.apply(id[0] += STEP));
    };
  }

  static Supplier<LongSupplier> bytes(IdFormat format) {
    return () -> {
      long[] id = {FIRST_ID};
      byte[] target = new byte[format.maxLength()];
      return () -> format.write(id[0] += STEP, target, 0);
    };
  }

  static Supplier<LongSupplier> builders(IdFormat format) {
    return () -> {
      long[] id = {FIRST_ID};
      StringBuilder target = new StringBuilder(format.maxLength());
      return () -> {
        target.setLength(0);
        format.append(id[0] += STEP, target);
        return target.length();
      };
    };
  }

  /** Every object is stored once, or the compiler might see that nobody needs it. */
  private static LongSupplier kept(Supplier<?> objects) {
    Object[] kept = new Object[2 * LAST];
    return () -> {
      kept[LAST] = objects.get();
      return 0;
    };
  }
}
