package io.firn.faults;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.testkit.InterposedStore;
import io.firn.time.TimeSource;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * One process of a fleet: leases a worker ID, issues IDs until its standard input ends, and writes
 * each of them to a file as eight bytes. Prints {@code ready} after the first batch and the longest
 * time without an ID, in milliseconds, at the end.
 */
final class Member {

  private static final int BATCH = 40;
  private static final Duration PAUSE = Duration.ofMillis(2);
  private static final Duration RETRY = Duration.ofMillis(100);

  /** All clocks are the clock of this machine. */
  static final Duration MAX_CLOCK_SKEW = Duration.ofMillis(200);

  private static final TimeSource TIME = TimeSource.system();

  private final DataOutputStream file;
  private final IdLayout layout;
  private long newestNanos = -1;
  private long longestNanos;

  /** Few workers and few numbers a millisecond: windows that overlap issue the same IDs. */
  private Member(DataOutputStream file, int workerBits) {
    this.file = file;
    layout = IdLayout.of("41t+" + workerBits + "w+6s@2026-01-01T00:00:00Z/1ms");
  }

  /**
   * Runs until standard input ends.
   *
   * @param args the address of the store, the window in milliseconds, the file, the bits of a
   *     worker ID, the settling time and the split in milliseconds, and whether the identity of the
   *     store is hidden
   */
  public static void main(String[] args) throws IOException {
    Duration window = Duration.ofMillis(Long.parseLong(args[1]));
    OutputStream bytes =
        Files.newOutputStream(
            Path.of(args[2]), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    try (DataOutputStream file = new DataOutputStream(bytes);
        RegisterStore store = RegisterStore.open(args[0])) {
      Member member = new Member(file, Integer.parseInt(args[3]));
      UnaryOperator<LeaseConfig.Builder> terms =
          lease ->
              lease
                  .window(window)
                  .settleTime(Duration.ofMillis(Long.parseLong(args[4])))
                  .maxSplit(Duration.ofMillis(Long.parseLong(args[5])));
      RegisterStore seen = Boolean.parseBoolean(args[6]) ? new Unidentified(store) : store;
      try (Snowflake snowflake = member.leased(seen, terms)) {
        if (snowflake != null) {
          member.issue(snowflake);
        }
      }
      System.out.println(TimeUnit.NANOSECONDS.toMillis(member.longestNanos));
    }
  }

  private static boolean isEnding() throws IOException {
    return System.in.available() > 0;
  }

  /** A store that loses what it acknowledged and does not show it. */
  private static final class Unidentified extends InterposedStore {

    Unidentified(RegisterStore store) {
      super(store);
    }

    @Override
    public Optional<Snapshot> snapshot(List<String> names) {
      return Optional.empty();
    }

    @Override
    public boolean mayForget() {
      return true;
    }
  }

  private Snowflake leased(RegisterStore store, UnaryOperator<LeaseConfig.Builder> terms)
      throws IOException {
    while (!isEnding()) {
      try {
        return Snowflake.builder()
            .layout(layout)
            .lease(
                terms
                    .apply(LeaseConfig.builder(store, "faults").maxClockSkew(MAX_CLOCK_SKEW))
                    .build())
            .build();
      } catch (FirnException e) {
        System.err.println(e.getMessage());
        TIME.parkNanos(RETRY.toNanos());
      }
    }
    return null;
  }

  private void issue(Snowflake snowflake) throws IOException {
    long[] ids = new long[BATCH];
    byte[] bytes = new byte[BATCH * Long.BYTES];
    while (!isEnding()) {
      try {
        snowflake.nextIds(ids, 0, BATCH);
        write(ids, bytes);
        noteIds();
      } catch (FirnException e) {
        noteGap();
      }
      TIME.parkNanos(PAUSE.toNanos());
    }
    noteGap();
  }

  private void write(long[] ids, byte[] bytes) throws IOException {
    java.nio.ByteBuffer.wrap(bytes).asLongBuffer().put(ids);
    file.write(bytes);
  }

  private void noteIds() {
    if (newestNanos < 0) {
      System.out.println("ready");
      newestNanos = TIME.nanoTime();
    }
    noteGap();
    newestNanos = TIME.nanoTime();
  }

  private void noteGap() {
    if (newestNanos >= 0) {
      longestNanos = Math.max(longestNanos, TIME.nanoTime() - newestNanos);
    }
  }
}
