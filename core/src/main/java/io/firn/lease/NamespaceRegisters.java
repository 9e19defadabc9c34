package io.firn.lease;

import io.firn.IdLayout;
import io.firn.internal.RecordText;
import io.firn.internal.Require;
import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The registers of a namespace in a store: their names, how they are read and written, and the
 * failures of both.
 *
 * @param name of the namespace
 * @param time the clock that is read where the store has none
 */
record NamespaceRegisters(RegisterStore store, String name, TimeSource time) {

  /** The registers that are read at once. */
  private static final int BATCH = 256;

  /** Each is read where a scan is not current. */
  private static final int MAX_WORKERS_TO_READ = 4_096;

  private static final String LAYOUT = "/layout";

  NamespaceRegisters {
    Require.name("namespace", name);
  }

  /** Returns the namespaces among registers that were scanned, by their names in order. */
  static List<String> namespaces(List<Register> scanned) {
    return scanned.stream()
        .map(Register::name)
        .filter(register -> register.endsWith(LAYOUT))
        .map(NamespaceRegisters::namespaceOf)
        .sorted()
        .toList();
  }

  /** Reads the registers of layouts of several namespaces, in one call of the store at most. */
  static List<Register> layoutRegisters(RegisterStore store, Collection<String> names) {
    List<String> registers =
        names.stream()
            .map(name -> Namespace.of(store, name).registers().layoutRegister())
            .distinct()
            .toList();
    return registers.isEmpty() ? List.of() : store.readAll(registers);
  }

  /** Returns the namespace of a register of layouts. */
  static String namespaceOf(String layoutRegister) {
    return layoutRegister.substring(0, layoutRegister.length() - LAYOUT.length());
  }

  /** Returns the store's clock; this process's where the store has none. */
  long nowMillis() {
    return store.currentTimeMillis().orElseGet(time::currentTimeMillis);
  }

  WorkerEntry entry(Register register) {
    return entry(register, new HashMap<>());
  }

  /**
   * Reads a worker's register.
   *
   * @param layouts those that were parsed before, by their texts: most workers have the same
   */
  WorkerEntry entry(Register register, Map<String, IdLayout> layouts) {
    WorkerRecord worker = WorkerRecord.parse(register);
    return new WorkerEntry(
        workerOf(register),
        worker.held(),
        worker.sinceMillis().stream().mapToObj(Instant::ofEpochMilli).findFirst(),
        Instant.ofEpochMilli(worker.fenceMillis()),
        worker.holder(),
        worker.pid(),
        worker.reserved(),
        worker.isBlock(),
        worker.lowMillis().stream().mapToObj(Instant::ofEpochMilli).findFirst(),
        Optional.of(worker.layout())
            .filter(text -> !text.isEmpty())
            .map(text -> layouts.computeIfAbsent(text, unread -> layout(register, unread))));
  }

  private static IdLayout layout(Register register, String text) {
    try {
      return IdLayout.of(text);
    } catch (IllegalArgumentException e) {
      throw RecordText.refused(register, "layout=LAYOUT, of a kind that this release knows");
    }
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
    return name + LAYOUT;
  }

  /** Returns the name of the register that guards the commits of a worker's holder. */
  String guardRegister(long worker) {
    return name + "/guard/" + worker;
  }

  /** Returns the name of the register of the watermark and its floor. */
  String watermarkRegister() {
    return name + "/watermark";
  }

  /**
   * Returns the registers of the workers of all layouts, as {@link #workerRegisters(long, Binding)}
   * does: one may be reserved in each of them.
   *
   * @throws StoreException if they are those of another store
   */
  List<Register> workerRegisters(Layouts layouts, @Nullable Binding binding) {
    return workerRegisters(layouts.mostWorkers(), binding).orElseThrow(this::answeredAsTwo);
  }

  /**
   * Returns the registers of all workers, each in its state at the call or later, of the store that
   * a binding names. A pool that has connections to an old and to a new primary may answer from
   * another store.
   *
   * @param workers how many there can be
   * @param binding what writes are bound to; null for a store without an identity
   * @return empty if the registers are those of another store; up to {@value #MAX_WORKERS_TO_READ}
   *     workers only, because a scan of more is not exact
   */
  Optional<List<Register>> workerRegisters(long workers, @Nullable Binding binding) {
    requireReadable(workers);
    if (store.isScanCurrent() && (binding == null || workers > MAX_WORKERS_TO_READ)) {
      return Optional.of(store.scan(workerPrefix()));
    }
    List<Register> read = new ArrayList<>();
    List<String> names = new ArrayList<>();
    for (long worker = 0; worker < workers; worker++) {
      names.add(workerRegister(worker));
      if (names.size() == BATCH || worker + 1 == workers) {
        Optional<List<Register>> batch = readAll(names, binding);
        if (batch.isEmpty()) {
          return Optional.empty();
        }
        read.addAll(batch.get());
        names.clear();
      }
    }
    return Optional.of(read);
  }

  private Optional<List<Register>> readAll(List<String> names, @Nullable Binding binding) {
    return binding == null
        ? Optional.of(store.readAll(names))
        : store
            .snapshot(names)
            .filter(read -> read.identity().equals(binding.identity()))
            .map(Snapshot::registers);
  }

  /** Refuses too many workers if a scan does not show the latest state of each. */
  void requireReadable(long workers) {
    if (!store.isScanCurrent() && workers > MAX_WORKERS_TO_READ) {
      throw new UnsupportedOperationException(
          "layout: "
              + workers
              + " worker IDs (expected: at most "
              + MAX_WORKERS_TO_READ
              + ", as a scan of "
              + store
              + " may be stale and each is read)");
    }
  }

  /** Writes a register, bound to what was read with it where the store has an identity. */
  WriteResult write(String register, long version, String text, @Nullable Binding binding) {
    return binding == null
        ? store.compareAndSet(register, version, text)
        : store.compareAndSet(register, version, text, binding);
  }

  /** Returns the register of a name out of those that were read. */
  static Optional<Register> find(String name, List<Register> read) {
    return read.stream().filter(register -> register.name().equals(name)).findFirst();
  }

  /** Returns the refusal of a namespace that is not there. */
  IllegalArgumentException unknown() {
    return unknown("");
  }

  /**
   * Returns the refusal of a namespace that is not there.
   *
   * @param reason why one that is there is needed, after the name of the store
   */
  IllegalArgumentException unknown(String reason) {
    return new IllegalArgumentException(
        "namespace: "
            + name
            + " (expected: a namespace that a generator has used in "
            + store
            + reason
            + ")");
  }

  /** Returns the refusal of a store that may forget, where only its identity could show a loss. */
  UnsupportedOperationException withoutIdentity() {
    return new UnsupportedOperationException(
        "store: " + store + " (expected: one that keeps what it acknowledged, or has an identity)");
  }

  /** Returns the refusal to write in one of two stores that answer by turns. */
  StoreException answeredAsTwo() {
    return new StoreException(
        "Store "
            + store
            + " answered as two stores, as while another primary takes over; try again");
  }

  StoreException unreported(int writes, String written) {
    return new StoreException(
        "Store "
            + store
            + " did not report the outcome of "
            + writes
            + " writes of "
            + written
            + " of namespace "
            + name
            + "; try again");
  }

  /**
   * Returns its register as it is now.
   *
   * @return empty before its first use
   */
  Optional<NamespaceView> look() {
    Optional<Snapshot> snapshot = store.snapshot(List.of(layoutRegister()));
    if (snapshot.isEmpty()) {
      long now = nowMillis();
      return store.read(layoutRegister()).map(register -> view(register, now, null));
    }
    Snapshot read = snapshot.get();
    return read.register(layoutRegister())
        .map(register -> view(register, read.timeMillis(), binding(read, register)));
  }

  private static NamespaceView view(Register register, long nowMillis, @Nullable Binding binding) {
    return new NamespaceView(register, NamespaceRecord.parse(register), nowMillis, binding);
  }

  private static Binding binding(Snapshot read, Register register) {
    return new Binding(read.identity(), register.name(), register.version());
  }

  /**
   * Refuses a store that may lose what is written, unless that was allowed.
   *
   * @param consequence what may be lost, and what happens then
   */
  void requireKeeping(boolean allowMayForget, String consequence) {
    if (store.mayForget() && !allowMayForget) {
      throw new UnsupportedOperationException(
          "store: "
              + store
              + " (expected: one that keeps what it acknowledged; this one may lose "
              + consequence
              + ")");
    }
  }

  /**
   * Returns the refusal of what needs to know every holder, while one may have been lost.
   *
   * @param settledAtMillis when the settling time ends; empty if the namespace has no mark
   */
  IllegalStateException unsettled(OptionalLong settledAtMillis) {
    return new IllegalStateException(
        "Store "
            + store
            + " was started, promoted or restored, and may have forgotten the holder of a worker;"
            + " try again when the settling time of namespace "
            + name
            + " ends"
            + (settledAtMillis.isEmpty()
                ? ""
                : ", at " + Instant.ofEpochMilli(settledAtMillis.getAsLong())));
  }

  /** As the other of this name; in a store without an identity it refuses nothing. */
  void requireSettled(NamespaceView view) {
    Binding binding = view.binding();
    if (binding != null) {
      requireSettled(view.record().mark(), binding.identity(), view.nowMillis());
    }
  }

  /**
   * Refuses what needs to know every holder, while the store may have forgotten one: no holder that
   * it forgot has IDs past the settling time. That begins now if the mark does not show the loss:
   * no other process may be there to write one.
   *
   * @param mark the mark of the namespace; null if it has none
   * @param identity the identity of the store
   * @param nowMillis the store's clock
   * @throws IllegalStateException if the settling time has not ended
   */
  void requireSettled(@Nullable MarkRecord mark, String identity, long nowMillis) {
    if (mark == null || !mark.identity().equals(identity) || mark.sinceMillis().isEmpty()) {
      Optional<Namespace.Mark> begun = new MarkChange(this, null, identity).write();
      throw unsettled(
          begun
              .map(written -> OptionalLong.of(written.settledAt().toEpochMilli()))
              .orElse(OptionalLong.empty()));
    }
    if (mark.settledAtMillis() > nowMillis) {
      throw unsettled(OptionalLong.of(mark.settledAtMillis()));
    }
  }

  static Homes homesIn(Register register) {
    return NamespaceRecord.parse(register).homes();
  }

  /**
   * Checks a layout against the recorded one.
   *
   * @throws LayoutMismatchException if it is another one
   */
  void check(IdLayout layout, IdLayout recorded) {
    if (!recorded.equals(layout)) {
      throw mismatch(layout, recorded, name);
    }
  }

  /** Returns the exception of a layout that is not the recorded one of a namespace. */
  static LayoutMismatchException mismatch(IdLayout layout, IdLayout recorded, String namespace) {
    return new LayoutMismatchException(
        "Namespace "
            + namespace
            + " has layout "
            + recorded
            + ", and this process has layout "
            + layout
            + "; start it with the namespace's layout, or use another namespace");
  }
}
