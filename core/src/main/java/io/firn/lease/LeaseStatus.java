package io.firn.lease;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A lease at one moment.
 *
 * @param namespace the family of IDs
 * @param worker the worker ID; datacenter and worker as one number where a layout has both
 * @param holder the instance that holds it
 * @param notBefore the first instant of ID time of the window
 * @param fence the end of the window: no ID at or past it
 * @param taken when this was taken, on the holder's clock
 * @param sinceRenewal how long before that the window was last extended, or leased
 * @param store the address of the store
 * @param watermark the time of the namespace's {@link Watermark}, as it was published when this
 *     holder last read it, at most four renewals ago; empty if no reader has requested one
 * @param low the low mark that this holder published last; empty if no reader has requested one
 * @param mark the mark of the namespace under which the window was last extended or leased; empty
 *     where the store has no identity
 * @param lastError the error of the last renewal, if it failed; of a closed lease the reason why
 *     the worker ID was not released
 * @param clockDoubt why the clock of this host was not trusted when the window was last extended,
 *     if it was not: the window follows the store's clock, or the time that has passed
 */
public record LeaseStatus(
    String namespace,
    long worker,
    String holder,
    Instant notBefore,
    Instant fence,
    Instant taken,
    Duration sinceRenewal,
    String store,
    Optional<Instant> watermark,
    Optional<Instant> low,
    Optional<Namespace.Mark> mark,
    Optional<String> lastError,
    Optional<String> clockDoubt) {

  /** Returns the last error, or else the doubt about the clock. */
  public Optional<String> problem() {
    return lastError.or(() -> clockDoubt);
  }

  /**
   * Returns the end of a message about the lease: the last error, or else the doubt about the
   * clock, each named after a semicolon; empty if there is neither.
   */
  public String describeProblem() {
    return lastError
        .map(error -> "; last error: " + error)
        .or(() -> clockDoubt.map(doubt -> "; clock doubt: " + doubt))
        .orElse("");
  }

  String describeExpiry() {
    return "The lease of worker "
        + worker
        + " of "
        + namespace
        + " ended at "
        + fence
        + " and was not renewed by "
        + taken
        + "; "
        + store
        + " last renewed it "
        + sinceRenewal.toMillis()
        + " ms before, and IDs resume with its next renewal"
        + describeProblem();
  }
}
