package io.firn.cli;

import io.firn.lease.Namespace;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.store.WriteResult.Outcome;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Parameters;

/** Checks what the leases of a store would rest on. */
@Command(
    name = "doctor",
    description = {
      "Check a store: clock, round trips, rights, settings, and what the guarantee rests on.",
      "Writes one register, " + DoctorCommand.REGISTER + ", that nothing else reads."
    })
final class DoctorCommand implements Callable<Integer> {

  static final String REGISTER = "firn-doctor";

  private static final int READS = 20;
  private static final int WRITES = 5;
  private static final int MOST_NAMES = 5;
  private static final long NOTABLE_SKEW_MILLIS = 1_000;

  private final Shell shell;
  private final List<String> warnings = new ArrayList<>();
  private boolean failed;

  @Parameters(paramLabel = "STORE", description = "The address of the store.")
  @Nullable String address;

  DoctorCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException {
    StoreOptions options = new StoreOptions();
    options.store = Objects.requireNonNull(address);
    Logger logger = Logger.getLogger("io.firn");
    Handler listener = new WarningListener();
    boolean printed = logger.getUseParentHandlers();
    logger.setUseParentHandlers(false);
    logger.addHandler(listener);
    try (RegisterStore store = options.open(shell)) {
      check(store);
    } finally {
      logger.removeHandler(listener);
      logger.setUseParentHandlers(printed);
    }
    shell.out().flush();
    return failed ? ExitCode.SOFTWARE : ExitCode.OK;
  }

  /** Collects what a store warns of: settings that lose acknowledged writes, above all. */
  private final class WarningListener extends Handler {

    @Override
    public void publish(LogRecord record) {
      if (record.getLevel().intValue() >= Level.WARNING.intValue()
          && !warnings.contains(record.getMessage())) {
        warnings.add(record.getMessage());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private void check(RegisterStore store) throws IOException {
    line("store", store.toString());
    long begin = shell.time().nanoTime();
    store.read(REGISTER);
    line("reached", "in " + millis(shell.time().nanoTime() - begin));
    line("reads", times(READS, () -> store.read(REGISTER)));
    List<String> names = Namespace.names(store);
    line("namespaces", names.size() + shown(names));
    write(store);
    Optional<Snapshot> snapshot = store.snapshot(List.of());
    clock(store);
    line(
        "identity",
        snapshot
            .map(seen -> seen.identity() + "; it changes at a restart, a promotion and a restore")
            .orElse("none"));
    line(
        "keeps",
        store.mayForget()
            ? "not guaranteed: the store may lose acknowledged writes"
            : "what it acknowledged, if it is set up so");
    line(
        "calls",
        store
            .callTimeout()
            .map(
                most ->
                    "end within "
                        + millis(most.toNanos())
                        + "; windows of at least "
                        + millis(most.multipliedBy(2).toNanos())
                        + " are accepted")
            .orElse("have no known limit"));
    line("settings", warnings.isEmpty() ? "no warnings" : warnings.get(0));
    for (int i = 1; i < warnings.size(); i++) {
      line("", warnings.get(i));
    }
    shell.print("\n" + grounds(snapshot.isPresent(), store.mayForget()));
  }

  private void line(String label, String text) throws IOException {
    shell.print(String.format(Locale.ROOT, "%-11s %s\n", label, text));
  }

  private static String shown(List<String> names) {
    return names.isEmpty()
        ? ""
        : ": "
            + String.join(", ", names.subList(0, Math.min(MOST_NAMES, names.size())))
            + (names.size() > MOST_NAMES ? ", …" : "");
  }

  private String times(int count, Runnable call) {
    long[] nanos = new long[count];
    for (int i = 0; i < count; i++) {
      long begin = shell.time().nanoTime();
      call.run();
      nanos[i] = shell.time().nanoTime() - begin;
    }
    Arrays.sort(nanos);
    return count + ", median " + millis(nanos[count / 2]) + ", slowest " + millis(nanos[count - 1]);
  }

  private static String millis(long nanos) {
    double millis = nanos / (double) TimeUnit.MILLISECONDS.toNanos(1);
    return String.format(Locale.ROOT, millis < 10 ? "%.1f ms" : "%.0f ms", millis);
  }

  private void write(RegisterStore store) throws IOException {
    try {
      line("writes", times(WRITES, () -> writeOnce(store)));
      line("rights", "reads, scans and writes are allowed");
    } catch (StoreException e) {
      failed = true;
      line("rights", "no write: " + e.getMessage());
    }
  }

  private void writeOnce(RegisterStore store) {
    long version = store.read(REGISTER).map(Register::version).orElse(0L);
    String text = "checked at " + shell.now() + " by process " + ProcessHandle.current().pid();
    Outcome outcome = store.compareAndSet(REGISTER, version, text).outcome();
    if (outcome == Outcome.UNKNOWN) {
      throw new StoreException("the outcome of a write is unknown");
    }
  }

  private void clock(RegisterStore store) throws IOException {
    long before = shell.time().currentTimeMillis();
    OptionalLong theirs = store.currentTimeMillis();
    long after = shell.time().currentTimeMillis();
    if (theirs.isEmpty()) {
      line("clock", "the store has no clock; this host's clock is used");
      return;
    }
    long skew = theirs.getAsLong() - (before + after) / 2;
    line(
        "clock",
        "the store is "
            + Duration.ofMillis(Math.abs(skew)).toMillis()
            + " ms "
            + (skew < 0 ? "behind" : "ahead of")
            + " this host, to within "
            + (1 + (after - before) / 2)
            + " ms"
            + (Math.abs(skew) > NOTABLE_SKEW_MILLIS
                ? "; synchronize both: IDs stay unique, but their times differ"
                : ""));
  }

  private static String grounds(boolean identity, boolean mayForget) {
    String first = "No ID is issued twice as long as compare-and-set of this store is linearizable";
    if (identity) {
      return first
          + ",\nand a loss of acknowledged writes shows in its identity. After one, processes that come\n"
          + "lead or wait for the settling time. After a restore of an older state, run\n"
          + "firn store restored before access is opened.\n";
    }
    return mayForget
        ? first
            + "\nand keeps acknowledged writes. This store may lose them: holders detect that, and few IDs\n"
            + "can repeat, but a store with an identity, a quorum or forced writes to disk is safer.\n"
        : first + "\nand keeps acknowledged writes through a crash, a failover and a restore.\n";
  }
}
