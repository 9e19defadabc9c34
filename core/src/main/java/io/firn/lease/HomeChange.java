package io.firn.lease;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.WorkerSet;
import io.firn.store.Register;
import io.firn.store.WriteResult;
import java.time.Instant;
import java.util.List;

/**
 * A change of the home datacenters of a namespace in one store.
 *
 * <p>A datacenter that is removed may become the home of another store, which has no fence of this
 * one. So the clock has passed every fence of its workers, with a margin. A lease writes the
 * register of its worker first and reads the homes then; this writes the homes first and reads the
 * registers then, each in its latest state. So one of them sees the other. While the store may have
 * forgotten a holder, nothing is given up: that holder would put its home back.
 */
final class HomeChange {

  private static final int MAX_ATTEMPTS = 5;

  private final NamespaceRegisters namespace;
  private final Homes wanted;

  HomeChange(NamespaceRegisters namespace, WorkerSet datacenters) {
    this.namespace = namespace;
    wanted = new Homes(datacenters);
  }

  /** Writes the homes, even if they are recorded already: a read is not an acknowledgment. */
  void write() {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      NamespaceView view = look();
      check(view);
      requireSettled(view);
      requireIdle(view, view.record().homes());
      WriteResult result =
          namespace.write(
              view.register().name(),
              view.register().version(),
              view.record().withHomes(wanted).text(),
              view.binding());
      if (result.outcome() == WriteResult.Outcome.APPLIED) {
        requireIdle(look(), view.record().homes());
        return;
      }
    }
    throw namespace.unreported(MAX_ATTEMPTS, "the home datacenters");
  }

  private NamespaceView look() {
    return namespace.look().orElseThrow(namespace::unknown);
  }

  private static IdLayout layoutOf(NamespaceView view) {
    return view.layouts().at(view.nowMillis());
  }

  private static long takenForMillis(NamespaceView view) {
    NamespaceRecord.MarkRecord mark = view.record().mark();
    return mark == null ? LeaseConfig.Builder.MAX_CLOCK_SKEW.toMillis() : mark.settleMillis();
  }

  private void check(NamespaceView view) {
    Layouts.Next next = view.layouts().next();
    if (next != null && view.layouts().isChanging(view.nowMillis())) {
      throw new IllegalStateException(
          "Namespace "
              + namespace.name()
              + " changes to layout "
              + next.layout()
              + " at "
              + Instant.ofEpochMilli(next.fromMillis())
              + "; change its home datacenters after that, or call the change off with firn layout"
              + " cancel");
    }
    IdLayout layout = layoutOf(view);
    List<WorkerSet.Range> ranges = wanted.datacenters().ranges();
    long last = layout.field(Kind.DATACENTER).map(IdLayout.Field::max).orElse(-1L);
    if (ranges.isEmpty() || ranges.get(ranges.size() - 1).last() > last) {
      throw new IllegalArgumentException(
          "datacenters: "
              + wanted
              + " (expected: "
              + (last < 0 ? "a layout that has some" : "within 0-" + last)
              + ", the layout is "
              + layout
              + ")");
    }
  }

  private void requireSettled(NamespaceView view) {
    Homes before = view.record().homes();
    if (!before.areRecorded() || !wanted.haveAll(before)) { // else it only adds some
      namespace.requireSettled(view);
    }
  }

  /**
   * Refuses the change while a worker is in use that no home has any more. Where none were
   * recorded, that is any: its process does not know of homes, and would not record them again
   * after a loss.
   */
  private void requireIdle(NamespaceView view, Homes before) {
    IdLayout layout = layoutOf(view);
    WorkerSet kept = wanted.workers(layout);
    long takenFor = takenForMillis(view);
    for (Register register : namespace.workerRegisters(view.layouts(), view.binding())) {
      long worker = namespace.workerOf(register);
      WorkerRecord record = WorkerRecord.parse(register);
      long idleAt = Math.min(record.fenceMillis(), WorkerRecord.NEVER_MILLIS - takenFor) + takenFor;
      boolean stays = kept.contains(worker) && (before.areRecorded() || !record.held());
      if (!stays && idleAt > view.nowMillis()) {
        throw inUse(worker, layout, record, idleAt);
      }
    }
  }

  private IllegalStateException inUse(
      long worker, IdLayout layout, WorkerRecord record, long idleAt) {
    String use =
        record.reserved()
            ? "is reserved for " + record.holder()
            : record.held()
                ? "is leased to " + record.holder() + ", process " + record.pid()
                : "has IDs up to " + Instant.ofEpochMilli(record.fenceMillis());
    return new IllegalStateException(
        "Worker "
            + worker
            + " of "
            + namespace.name()
            + ", datacenter "
            + (worker >>> layout.bits(Kind.WORKER))
            + ", "
            + use
            + "; "
            + (record.fenceMillis() == WorkerRecord.NEVER_MILLIS
                ? "release it, and try again"
                : "once that process has ended, try again at " + Instant.ofEpochMilli(idleAt)));
  }
}
