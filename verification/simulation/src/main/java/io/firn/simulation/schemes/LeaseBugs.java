package io.firn.simulation.schemes;

import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.WorkerText;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import java.util.List;
import java.util.Optional;

/** Bugs of leases, put between a lease, its store and its generator. */
final class LeaseBugs {

  private LeaseBugs() {}

  /** Returns a store whose generator continues past its fence. */
  static RegisterStore permittingAll(RegisterStore store) {
    return new InterposedStore(store) {
      @Override
      public void permit(long worker, long notBeforeMillis, long fenceMillis, long leadMillis) {
        super.permit(worker, notBeforeMillis, Long.MAX_VALUE / 2, leadMillis);
      }
    };
  }

  /** Returns a store that asks for the newest tick a moment before it closes the word. */
  static RegisterStore lingeringBeforeClose(RegisterStore store, Incarnation process) {
    return new InterposedStore(store) {
      @Override
      public long closeGenerator() {
        long newest = newestMillis();
        process.linger();
        super.closeGenerator();
        return newest;
      }
    };
  }

  /** Returns a store in which a renewal overwrites whatever is there. */
  static RegisterStore renewingWithoutVersion(RegisterStore store) {
    return new InterposedStore(store) {
      @Override
      public WriteResult compareAndSet(String name, long expectedVersion, String value) {
        return super.compareAndSet(
            name,
            expectedVersion == 0 || !isRenewal(name, value)
                ? expectedVersion
                : read(name).map(Register::version).orElse(0L),
            value);
      }

      private String mine = "";

      private boolean isRenewal(String name, String value) {
        if (!name.contains("/worker/") || !WorkerText.parse(value).held()) {
          return false;
        }
        String token = WorkerText.parse(value).token();
        boolean renewal = token.equals(mine);
        mine = token;
        return renewal;
      }
    };
  }

  /** Returns a store that shows a record with the token of the last write as that write. */
  static RegisterStore recognizingByToken(RegisterStore store) {
    return new InterposedStore(store) {
      private String written = "";

      @Override
      public Optional<Register> read(String name) {
        return super.read(name).map(this::asIfWritten);
      }

      private Register asIfWritten(Register register) {
        boolean mine =
            register.name().contains("/worker/")
                && !written.isEmpty()
                && WorkerText.parse(register.value())
                    .token()
                    .equals(WorkerText.parse(written).token());
        return mine ? new Register(register.name(), register.version(), written) : register;
      }

      @Override
      public WriteResult compareAndSet(String name, long expectedVersion, String value) {
        written = name.contains("/worker/") ? value : written;
        return super.compareAndSet(name, expectedVersion, value);
      }
    };
  }

  /** Returns a store whose generator says that it has no ID before now. */
  static RegisterStore withLowMarkOfNow(RegisterStore store) {
    return new InterposedStore(store) {
      @Override
      public long lowMillis(long nowMillis) {
        return nowMillis;
      }
    };
  }

  /** Returns a store that shows no watermark. */
  static RegisterStore withoutFloor(RegisterStore store) {
    return new InterposedStore(store) {
      @Override
      public Optional<Register> read(String name) {
        return name.endsWith("/watermark") ? Optional.empty() : super.read(name);
      }

      @Override
      public Optional<Snapshot> snapshot(List<String> names) {
        return super.snapshot(names.stream().filter(name -> !name.endsWith("/watermark")).toList());
      }
    };
  }

  /** Returns a store whose mark is earlier by the lead of its IDs. */
  static RegisterStore leadingByAllThatTheMarkLeavesOut(RegisterStore store, Incarnation process) {
    long lead = process.cluster().settings().terms().leadMillis();
    return new EarlierMark(store, lead) {
      @Override
      public long newestMillis() {
        return Math.max(super.newestMillis(), process.time().currentTimeMillis() + lead);
      }
    };
  }
}
