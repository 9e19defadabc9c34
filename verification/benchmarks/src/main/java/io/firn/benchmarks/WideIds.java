package io.firn.benchmarks;

import io.firn.text.IdFormat;
import io.firn.time.TimeSource;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/** Contenders that make an object each time, an ID or its text. */
final class WideIds {

  /** In the middle of an array, so that no other thread writes to its cache line. */
  private static final int LAST = 16;

  private static final long FIRST_ID = 117_610_173_326_504_099L;

  /** From one ID of a busy generator to the next of the same worker, and odd. */
  private static final long STEP = 4_194_305;

  /** The number of texts that are read in turns: a power of two. */
  private static final int TEXTS = 1024;

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

  /** Texts of ULIDs that grow, made of two numbers. */
  static <T> Supplier<LongSupplier> ulidTexts(Function<T, String> text, LongPair<T> ulids) {
    return () -> {
      long[] id = {FIRST_ID};
      return kept(() -> text.apply(ulids.of(id[0] += STEP, id[0] * STEP)));
    };
  }

  /** Makes an object of two numbers. */
  interface LongPair<T> {
    T of(long high, long low);
  }

  /** Reads texts back that were written before. */
  static Supplier<LongSupplier> parsing(IdFormat format, ToLongFunction<String> parse) {
    return () -> {
      String[] texts = written(format::format);
      int[] next = {0};
      return () -> parse.applyAsLong(texts[next[0]++ & (TEXTS - 1)]);
    };
  }

  /** Reads texts of IDs that are wider than 64 bits. */
  static Supplier<LongSupplier> parsing(LongPair<?> ids, Function<String, ?> parse) {
    return () -> {
      String[] texts = written(id -> ids.of(id, id * STEP).toString());
      int[] next = {0};
      return kept(() -> parse.apply(texts[next[0]++ & (TEXTS - 1)]));
    };
  }

  private static String[] written(LongFunction<String> text) {
    return LongStream.range(0, TEXTS)
        .mapToObj(i -> text.apply(FIRST_ID + i * STEP))
        .toArray(String[]::new);
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

  /** Every object is stored once, or the compiler might remove it. */
  private static LongSupplier kept(Supplier<?> objects) {
    Object[] kept = new Object[2 * LAST];
    return () -> {
      kept[LAST] = objects.get();
      return 0;
    };
  }
}
