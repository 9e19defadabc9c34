package io.firn.lease;

import io.firn.internal.LeaseWindow;
import io.firn.store.Register;
import io.firn.store.StoreException;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The end of a lease whose generator is closed: its worker ID is released with the rest of its
 * window, or that is left for the next process where the store is down.
 */
final class LeaseRelease {

  private final LeaseConfig config;
  private final LeaseProtocol protocol;
  private final LayoutWatch layouts;
  private final FloorWatch floor;
  private final ReferenceClock clock;

  LeaseRelease(
      LeaseConfig config,
      LeaseProtocol protocol,
      LayoutWatch layouts,
      FloorWatch floor,
      ReferenceClock clock) {
    this.config = config;
    this.protocol = protocol;
    this.layouts = layouts;
    this.floor = floor;
    this.clock = clock;
  }

  /** The reason why a worker ID stays taken until its fence. */
  record Refusal(String reason, @Nullable Throwable cause) {}

  /**
   * Releases a worker ID.
   *
   * @param window the window of a generator that is closed
   * @param newestMillis the end of the newest tick that was drawn
   * @param carryOver where the rest of the window is left if the store is down
   * @return empty if it was released
   * @throws StoreException if the store cannot be asked
   */
  Optional<Refusal> run(LeaseWindow window, long newestMillis, Optional<CarryOver> carryOver) {
    if (carryOver.isPresent() && isStoreDown()) {
      return Optional.of(carryOver(carryOver.get(), window, newestMillis));
    }
    return release(newestMillis)
        ? Optional.empty()
        : Optional.of(
            new Refusal(
                "another process has changed its register, or the store did not confirm the write",
                null));
  }

  /** Asks before a release is sent: that may arrive whatever the store answers. */
  private boolean isStoreDown() {
    try {
      Optional<Register> unused = config.store().read(config.namespace().layoutRegister());
      return false;
    } catch (StoreException e) {
      return !floor.isWanted() && layouts.isPlain();
    }
  }

  private static Refusal carryOver(CarryOver file, LeaseWindow window, long newestMillis) {
    long from = Math.max(newestMillis, window.notBeforeMillis());
    try {
      file.write(new LeaseWindow(window.worker(), from, window.notAfterMillis(), 0));
      return new Refusal("the rest of its window is left in " + file, null);
    } catch (IOException e) {
      return new Refusal("the rest of its window could not be left in " + file + ": " + e, e);
    }
  }

  private boolean release(long newestMillis) {
    // A copy of this process may have drawn the rest of a window that is over.
    boolean over = clock.read().wallMillis() >= protocol.fenceMillis();
    return protocol.release(over ? Long.MAX_VALUE : newestMillis);
  }
}
