package io.firn.lease;

import io.firn.store.Register;
import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The guard of one lease's commits; see {@link GuardProtocol}. It is opened when the first
 * transaction asks for it. The keeper's thread writes it; any thread may ask for it.
 */
final class LeaseGuard {

  private record Opened(String acquisition, Register register) {}

  private final LeaseConfig config;
  private final TimeSource time;
  private volatile String acquisition = "";
  private volatile boolean wanted;
  private volatile @Nullable Opened open;

  /** The register to replace, which a transaction did not find as it was written. */
  private volatile @Nullable Register toReplace;

  private @Nullable Opened written;
  private boolean announced;
  private int acquisitions;

  LeaseGuard(LeaseConfig config, TimeSource time) {
    this.config = config;
    this.time = time;
  }

  /** Records a new acquisition. For the keeper. */
  void acquired() {
    acquisition = Integer.toString(++acquisitions);
    open = null;
    written = null;
    announced = false;
  }

  /** Returns what names the acquisition under which a scope is opened. */
  String acquisition() {
    return acquisition;
  }

  /**
   * Opens the guard if a transaction wants one. Call before a renewal, by the keeper.
   *
   * @return whether the renewal must say that there is a guard
   */
  boolean openIfWanted(long worker, String token) {
    Opened before = written;
    if (wanted && (before == null || before.register().equals(toReplace))) {
      try {
        if (before != null && stands(before.register())) {
          toReplace = null; // the transaction looked in another database, or in an old snapshot
          return announced;
        }
        written = null;
        Optional<Register> now = new GuardProtocol(config.namespace(), time).open(worker, token);
        written = now.map(register -> new Opened(acquisition, register)).orElse(null);
      } catch (RuntimeException e) { // transactions are refused until a later renewal opens it
        LeaseEvents.logNow(Level.WARNING, "the guard of commits was not opened", e);
      }
    }
    announced |= written != null; // as long as the lease lasts
    return announced;
  }

  /** Returns whether the store has a guard as it was written. Waits for no transaction. */
  private boolean stands(Register register) {
    return config.store().read(register.name()).equals(Optional.of(register));
  }

  /**
   * Lets transactions use the guard, after a renewal that announces it was applied. For the keeper.
   */
  void renewed() {
    open = written;
  }

  /** Returns whether the guard of an acquisition is open; from then on, it is wanted. */
  boolean isOpen(String ofAcquisition) {
    wanted = true;
    return register(ofAcquisition).isPresent() || !ofAcquisition.equals(acquisition);
  }

  /** Returns the guard of an acquisition if it is open. */
  Optional<Register> register(String ofAcquisition) {
    return Optional.ofNullable(open)
        .filter(opened -> opened.acquisition().equals(ofAcquisition))
        .map(Opened::register)
        .filter(register -> !register.equals(toReplace));
  }

  /** Requests a new guard in place of one that a transaction did not find. */
  void replace(Register register) {
    toReplace = register;
  }
}
