package io.firn.lease;

import io.firn.IdLayout;
import io.firn.internal.RecordText;
import io.firn.internal.Require;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One family of IDs in a register store: the names of its registers, and the register of its
 * layout. A process with another layout is refused, because mixed layouts collide.
 */
public final class Namespace {

  private static final String KIND = "firn-namespace";
  private static final int FORMAT = 1;
  private static final int MAX_ATTEMPTS = 5;

  private final RegisterStore store;
  private final String name;

  private Namespace(RegisterStore store, String name) {
    this.store = store;
    this.name = name;
  }

  /**
   * Returns the namespace of a name; it need not exist yet.
   *
   * @param name 1..64 of the characters A-Z, a-z, 0-9, '.', '_' and '-'
   */
  public static Namespace of(RegisterStore store, String name) {
    return new Namespace(store, Require.name("namespace", name));
  }

  /** Returns its name. */
  public String name() {
    return name;
  }

  /** Returns the layout that was recorded at its first use; empty before. */
  public Optional<IdLayout> layout() {
    return store.read(layoutRegister()).map(Namespace::layoutOf);
  }

  /** Returns every worker ID that was ever leased in it, in ascending order. */
  public List<WorkerEntry> workers() {
    return store.scan(workerPrefix()).stream()
        .map(this::entry)
        .sorted(Comparator.comparingLong(WorkerEntry::worker))
        .toList();
  }

  /** Returns the names of all namespaces of a store, in order. */
  public static List<String> names(RegisterStore store) {
    return store.scan("").stream()
        .map(Register::name)
        .filter(register -> register.endsWith("/layout"))
        .map(register -> register.substring(0, register.length() - "/layout".length()))
        .sorted()
        .toList();
  }

  private WorkerEntry entry(Register register) {
    WorkerRecord worker = WorkerRecord.parse(register);
    return new WorkerEntry(
        workerOf(register),
        worker.held(),
        worker.sinceMillis().stream().mapToObj(Instant::ofEpochMilli).findFirst(),
        Instant.ofEpochMilli(worker.fenceMillis()),
        worker.holder(),
        worker.pid());
  }

  String workerRegister(long worker) {
    return workerPrefix() + worker;
  }

  /** Returns the worker of a register. */
  long workerOf(Register register) {
    try {
      return Long.parseLong(register.name().substring(workerPrefix().length()));
    } catch (NumberFormatException e) {
      throw RecordText.refused(register, "a worker ID behind " + workerPrefix());
    }
  }

  String workerPrefix() {
    return name + "/worker/";
  }

  String layoutRegister() {
    return name + "/layout";
  }

  /**
   * Records the layout if the namespace is new, or checks that it is the same.
   *
   * @param seen what was read of {@link #layoutRegister}
   */
  void claim(IdLayout layout, Optional<Register> seen) {
    String text = RecordText.write(KIND, FORMAT, Map.of("layout", layout));
    Optional<Register> register = seen;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (register.isPresent()) {
        check(layout, layoutOf(register.get()));
        return;
      }
      WriteResult written = store.compareAndSet(layoutRegister(), 0, text);
      if (written.outcome() == WriteResult.Outcome.APPLIED) {
        return;
      }
      register = store.read(layoutRegister());
    }
    throw new StoreException(
        "Store "
            + store
            + " did not report the outcome of "
            + MAX_ATTEMPTS
            + " writes of the layout of namespace "
            + name);
  }

  private static IdLayout layoutOf(Register register) {
    Map<String, String> fields = RecordText.read(register, KIND, FORMAT);
    return IdLayout.of(RecordText.required(register, fields, "layout"));
  }

  private void check(IdLayout layout, IdLayout recorded) {
    if (!recorded.equals(layout)) {
      throw new LayoutMismatchException(
          "layout: " + layout + " (expected: " + recorded + ", which namespace " + name + " has)");
    }
  }
}
