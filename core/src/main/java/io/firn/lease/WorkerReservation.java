package io.firn.lease;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.internal.RecordText;
import io.firn.internal.Require;
import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The reservation of worker IDs for another system.
 *
 * <p>It needs no promise of the leases: the fence of a reserved worker is the end of the
 * reservation, and no window ever begins below a fence. Only a free worker is reserved, one whose
 * fence the clock has passed, because windows up to that fence were permitted to leases.
 */
final class WorkerReservation {

  private static final int MAX_ATTEMPTS = 5;
  private static final Pattern NAME = Pattern.compile("[!-~]([ -~]{0,98}[!-~])?");

  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final IdLayout layout;
  private final LayoutWatch layouts;
  private final LeaseConfig config;
  private final FloorWatch floor;
  private final String by;
  private final long untilMillis;
  private final TimeSource time;

  WorkerReservation(
      NamespaceRegisters namespace,
      IdLayout layout,
      String by,
      Instant until,
      boolean allowMayForget) {
    if (!NAME.matcher(by).matches()) {
      throw new IllegalArgumentException(
          "by: " + by + " (expected: 1..100 visible ASCII characters and spaces)");
    }
    namespace.requireKeeping(allowMayForget, "the reservation, and a lease then takes the worker");
    store = namespace.store();
    this.namespace = namespace;
    time = namespace.time();
    this.layout = layout;
    config = LeaseConfig.likeOthers(namespace);
    layouts = new LayoutWatch(config, layout, null, time);
    floor = new FloorWatch(config);
    this.by = by;
    untilMillis = Math.min(Require.endMillis("until", until), WorkerRecord.NEVER_MILLIS);
    Instant now = Instant.ofEpochMilli(time.currentTimeMillis());
    Require.begun(layout.epoch(), now);
    Require.notEnded("layout", layout, layout.positiveUntil(), now);
  }

  /**
   * The state that was read at one moment.
   *
   * @param takenForMillis how long after its fence a worker stays taken that was not released
   * @param binding what a write is bound to
   */
  private record WorkerState(
      Optional<Register> register,
      long nowMillis,
      long takenForMillis,
      @Nullable Binding binding) {}

  /** Reserves a worker, and returns its register. */
  Register write(long worker) {
    WorkerPool.checkWorker(worker, layout);
    String name = namespace.workerRegister(worker);
    Set<String> sent = new HashSet<>();
    Register previous = null;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      WorkerState state = look(worker);
      Register before = state.register().orElse(null);
      if (before == null || !sent.contains(before.value())) {
        previous = before;
      }
      // An identical reservation is written again too: a read is not an acknowledgment.
      String text = next(worker, state).text();
      if (before != null) {
        new GuardProtocol(namespace, time).requireEnded(worker, WorkerRecord.parse(before));
      }
      sent.add(text);
      long version = before == null ? 0 : before.version();
      WriteResult result = namespace.write(name, version, text, state.binding());
      if (result.outcome() == WriteResult.Outcome.APPLIED) {
        Register reserved = new Register(name, result.version(), text);
        if (state.binding() == null) {
          layouts.see(store.read(namespace.layoutRegister()));
        }
        requireWithinLayout(reserved, previous, state);
        return reserved;
      }
    }
    throw namespace.unreported(MAX_ATTEMPTS, "worker " + worker);
  }

  /** Checks what {@link #write} would refuse of any of these workers, and writes nothing. */
  void check(WorkerSet workers) {
    Optional<NamespaceView> view = namespace.look();
    long now = view.map(NamespaceView::nowMillis).orElseGet(namespace::nowMillis);
    view.ifPresent(seen -> namespace.check(layout, seen.layouts().at(seen.nowMillis())));
    WorkerSet checked = workers.within(layout);
    Homes homes = view.map(seen -> seen.record().homes()).orElse(Homes.NONE);
    checked.stream().forEach(worker -> homes.checkWorker(worker, config, layout));
    Optional<MarkRecord> mark =
        view.map(seen -> seen.record().mark()).filter(each -> each.sinceMillis().isPresent());
    if (mark.isPresent() && mark.get().settledAtMillis() > now) {
      throw namespace.unsettled(OptionalLong.of(mark.get().settledAtMillis()));
    }
    long grace =
        mark.map(MarkRecord::settleMillis).orElse(LeaseConfig.Builder.MAX_CLOCK_SKEW.toMillis());
    requireAhead(now);
    floor.see(store.read(floor.register()));
    for (Register register : store.scan(namespace.workerPrefix())) {
      long worker = namespace.workerOf(register);
      if (checked.contains(worker)) {
        var unusedRecord = next(worker, new WorkerState(Optional.of(register), now, grace, null));
      }
    }
  }

  /** Reads the register of a worker, after the layout was recorded or found to be the same. */
  private WorkerState look(long worker) {
    String name = namespace.workerRegister(worker);
    Optional<MarkRead> read = markProtocol().read(List.of(name, floor.register()));
    if (read.isEmpty()) {
      layouts
          .claim(Homes.NONE, store.read(namespace.layoutRegister()))
          .checkWorker(worker, config, layout);
      long now = namespace.nowMillis();
      layouts.choose(now);
      requireWithinLayout();
      floor.see(store.read(floor.register()));
      return new WorkerState(
          store.read(name), now, LeaseConfig.Builder.MAX_CLOCK_SKEW.toMillis(), null);
    }
    MarkRead markRead = read.get();
    floor.see(markRead.register(floor.register()));
    layouts.choose(markRead.nowMillis());
    requireWithinLayout();
    markRead.homes().checkWorker(worker, config, layout);
    if (!markRead.isSettled()) {
      throw namespace.unsettled(OptionalLong.of(markRead.settledAtMillis()));
    }
    // No process tolerates a replaced store for longer than that.
    long grace = markRead.mark().settleMillis();
    return new WorkerState(
        markRead.register(name), markRead.nowMillis(), grace, markRead.binding());
  }

  private MarkProtocol markProtocol() {
    return new MarkProtocol(config, layouts, time, 0, new ReferenceClock(config, time));
  }

  /** Refuses a reservation past a change of layout: it would not be checked against the new one. */
  private void requireWithinLayout() {
    if (untilMillis > layouts.untilMillis()) {
      throw new IllegalStateException(
          "Namespace "
              + namespace.name()
              + " changes its layout at "
              + Instant.ofEpochMilli(layouts.untilMillis())
              + "; end the reservation by then, or begin it after that");
    }
  }

  /**
   * Takes a reservation back that was written while a change of layout was proposed.
   *
   * @param previous the previous record; null for none
   */
  private void requireWithinLayout(
      Register reserved, @Nullable Register previous, WorkerState state) {
    try {
      requireWithinLayout();
    } catch (IllegalStateException e) {
      String text = previous == null ? ended(reserved, state) : previous.value();
      var unused = namespace.write(reserved.name(), reserved.version(), text, state.binding());
      throw e;
    }
  }

  private String ended(Register reserved, WorkerState state) {
    WorkerRecord record = WorkerRecord.parse(reserved);
    long end = Math.max(record.sinceMillis().orElse(0), state.nowMillis());
    return record.withFence(end).withNonce(RecordText.nonce(time)).text();
  }

  private void requireAhead(long now) {
    if (untilMillis <= now) {
      throw new IllegalArgumentException(
          "until: "
              + Instant.ofEpochMilli(untilMillis)
              + " (expected: after "
              + Instant.ofEpochMilli(now)
              + ", the store's clock)");
    }
  }

  private WorkerRecord next(long worker, WorkerState state) {
    long now = state.nowMillis();
    Register register = state.register().orElse(null);
    requireAhead(now);
    String token = RecordText.nonce(time);
    if (register == null) {
      return reserved(now, untilMillis, token);
    }
    WorkerRecord before = WorkerRecord.parse(register);
    boolean reserved = before.reserved() && before.fenceMillis() > now;
    if (reserved && before.holder().equals(by)) {
      requireSameLayout(worker, before);
      long until = Math.max(before.fenceMillis(), untilMillis);
      return reserved(before.sinceMillis().orElse(now), until, token);
    }
    long freeAt = before.freeAtMillis(state.takenForMillis());
    if (freeAt > now || isCommitting(before)) {
      throw taken(worker, before, reserved, freeAt);
    }
    return reserved(Math.max(now, before.fenceMillis()), untilMillis, token);
  }

  /** Commits of a holder may be under way until a reader of the watermark declares it dead. */
  private boolean isCommitting(WorkerRecord holder) {
    return holder.held() && floor.isWanted();
  }

  /** A record has one layout, and a change is checked against that. */
  private void requireSameLayout(long worker, WorkerRecord before) {
    if (!before.layout().isEmpty() && !before.layout().equals(layout.toString())) {
      throw new IllegalStateException(
          "Worker "
              + worker
              + " of "
              + namespace.name()
              + " is reserved for "
              + by
              + " in layout "
              + before.layout()
              + ", not in layout "
              + layout
              + "; release it once its system has ended, or reserve another worker");
    }
  }

  private WorkerRecord reserved(long since, long until, String token) {
    return WorkerRecord.reserved(since, until, by, token)
        .withNonce(RecordText.nonce(time))
        .withLayout(layout.toString());
  }

  private IllegalStateException taken(
      long worker, WorkerRecord before, boolean reserved, long freeAt) {
    String holder =
        reserved
            ? " is reserved for " + before.holder()
            : " " + before.use() + before.holder() + ", process " + before.pid();
    return new IllegalStateException(
        "Worker "
            + worker
            + " of "
            + namespace.name()
            + holder
            + "; it is free "
            + (freeAt == WorkerRecord.NEVER_MILLIS
                ? "once it is released"
                : isCommitting(before)
                    ? "once it is released, or firn watermark declares that process dead"
                    : "at "
                        + Instant.ofEpochMilli(freeAt)
                        + (before.held() ? " unless renewed" : "")));
  }
}
