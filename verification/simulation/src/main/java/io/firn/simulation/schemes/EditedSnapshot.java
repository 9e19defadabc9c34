package io.firn.simulation.schemes;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.testkit.InterposedStore;
import java.util.List;
import java.util.Optional;

/** Shows the registers of a snapshot otherwise than they are. */
abstract class EditedSnapshot extends InterposedStore {

  EditedSnapshot(RegisterStore store) {
    super(store);
  }

  /** Returns what is shown of a register of a store with that identity. */
  abstract Register edited(Register register, String identity);

  @Override
  public final Optional<Snapshot> snapshot(List<String> names) {
    return super.snapshot(names)
        .map(
            read ->
                new Snapshot(
                    read.identity(),
                    read.timeMillis(),
                    read.registers().stream()
                        .map(register -> edited(register, read.identity()))
                        .toList()));
  }
}
