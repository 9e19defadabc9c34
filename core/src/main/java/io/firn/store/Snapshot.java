package io.firn.store;

import java.util.List;
import java.util.Optional;

/**
 * Registers, the identity of the store and its clock, all read at one moment.
 *
 * @param identity a text that changes whenever the store may have lost acknowledged writes: at each
 *     start, promotion and restore. It never returns. It may also change without a loss.
 * @param timeMillis the store's clock, in milliseconds since 1970-01-01T00:00Z
 * @param registers those that were asked for and were ever written, in no order
 */
public record Snapshot(String identity, long timeMillis, List<Register> registers) {

  /** Copies the list. */
  public Snapshot {
    registers = List.copyOf(registers);
  }

  /** Returns the register of a name; empty if it was never written or not asked for. */
  public Optional<Register> register(String name) {
    return registers.stream().filter(register -> register.name().equals(name)).findFirst();
  }
}
