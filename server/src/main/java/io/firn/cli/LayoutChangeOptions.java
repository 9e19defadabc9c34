package io.firn.cli;

import io.firn.internal.IsoTime;
import io.firn.lease.LayoutChange;
import io.firn.lease.LayoutChange.Plan;
import java.io.IOException;
import java.time.Instant;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** The namespace whose layout is changed, and where it is. */
final class LayoutChangeOptions {

  @Parameters(index = "0", paramLabel = "NAMESPACE", description = "The namespace.")
  String namespace = "";

  @Mixin LeaseStoreOption store = new LeaseStoreOption();

  /** Opens the store, and runs an action on the namespace. */
  void run(Shell shell, Action action) throws IOException {
    StoreOptions.run(
        shell, store.open(shell), opened -> action.run(LayoutChange.of(opened, namespace)));
  }

  /** The action of a command on the change of its namespace. */
  @FunctionalInterface
  interface Action {
    void run(LayoutChange change) throws IOException;
  }

  /** Returns the lines that describe a change. */
  String describe(Plan plan, Instant now) {
    String when = IsoTime.utc(plan.at()) + ", " + HumanText.age(plan.at(), now);
    return namespace
        + ": "
        + Arguments.nameOf(plan.from())
        + " until "
        + when
        + ", then "
        + Arguments.nameOf(plan.to())
        + "\n"
        + (plan.grows()
            ? "IDs continue growing; none is issued twice\n"
            : "IDs do not continue growing: some new ones are smaller; none is issued twice\n");
  }
}
