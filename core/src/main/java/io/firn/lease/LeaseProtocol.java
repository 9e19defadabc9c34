package io.firn.lease;

import io.firn.internal.LeaseWindow;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The lease protocol: what one lease writes to the register of its worker, and what it concludes
 * from the result. For one thread at a time.
 *
 * <h2>Why no two windows overlap</h2>
 *
 * The register of a worker holds a fence. To take the worker, a process writes a larger fence
 * against the version that it read, and then owns the ID times from the old fence to the new one.
 * To renew, it does the same against the version that it wrote itself. So every permitted ID time
 * lies between two fences that one compare-and-set has moved, and belongs to the process that moved
 * it. The clock only proposes: a wrong one makes windows that are far away or useless, never ones
 * that overlap.
 *
 * <p>Only the holder sets a fence back, to just past the last tick that it drew, after it has
 * closed its word permanently.
 *
 * <h2>A read is not an acknowledgement</h2>
 *
 * A read may show a write that a crash of the store then takes back. So a window counts only once a
 * compare-and-set of this process was reported as applied. After any other outcome the register is
 * read, and if it holds a write of this process, that yields the version for another
 * compare-and-set, the confirmation, and nothing else. A version that was only read is not
 * remembered.
 *
 * <p>A register is recognized as one's own only if its whole text equals an outstanding write of
 * this process: one whose outcome was not reported as applied. Each write carries a nonce, and each
 * acquisition a token, both from the operating system's random source. So a copy of this process (a
 * snapshot that was restored twice) is another process: whichever of the two renews second finds a
 * text that it did not write, stops at once, and leases another worker.
 *
 * <h2>Proof that the store lost a write</h2>
 *
 * A legitimate successor's window begins at or past this lease's fence. A register that is gone, is
 * older than the version that was acknowledged, or is held by a process whose window begins before
 * this lease's fence, proves that the store lost an acknowledged write. The holder then stops at
 * once, and treats the store as one that may forget.
 *
 * <h2>A store that may forget</h2>
 *
 * A register that is absent may have been there. Its first window therefore begins one window and
 * the clock skew ahead of the store's clock, past every window that its forgotten holder can have.
 * A worker that was not given back is free only a whole window after its fence, because a forgotten
 * renewal may have moved that by as much.
 */
final class LeaseProtocol {

  /** The result of a renewal. */
  enum Renewal {
    EXTENDED,
    /** Another process has the register; what is left of the window is still this lease's. */
    LOST,
    /** A copy of this process has the register, or an operator released it: stop at once. */
    COPIED,
    /** The store lost an acknowledged write: stop at once. */
    DISPROVED
  }

  /** Each confirmation follows an outstanding write that was found. */
  private static final int MAX_WRITES_AT_ONCE = 4;

  /** More than the retries in half of the longest window. */
  private static final int MAX_OUTSTANDING = 1 << 15;

  private final LeaseConfig config;
  private final RegisterStore store;
  private final TimeSource time;
  private final List<String> outstanding = new ArrayList<>();
  private boolean losesWrites;
  private OptionalLong unsettled = OptionalLong.empty();
  private long worker;
  private long version;
  private @Nullable WorkerRecord record;
  private String text = "";

  LeaseProtocol(LeaseConfig config, TimeSource time) {
    this.config = config;
    this.time = time;
    store = config.store();
  }

  /** Returns whether the store may lose what it acknowledged, by its own word or by proof. */
  boolean mayForget() {
    return losesWrites || store.mayForget();
  }

  // A write that this process may have made.

  private record Attempt(WriteResult.Outcome outcome, Optional<Register> seen) {

    boolean isApplied() {
      return outcome == WriteResult.Outcome.APPLIED;
    }
  }

  /**
   * Writes a record, and again as long as the register turns out to hold an outstanding write.
   *
   * @return what was applied, or what stands in the register instead
   */
  private Attempt write(long worker, long expectedVersion, WorkerRecord wanted) {
    String name = config.namespace().workerRegister(worker);
    long expected = expectedVersion;
    WorkerRecord next = wanted;
    for (int attempt = 0; ; attempt++) {
      next = next.withNonce(nonce());
      WriteResult written = send(name, expected, next.text());
      boolean unknown = written.outcome() == WriteResult.Outcome.UNKNOWN;
      unsettled = unknown ? OptionalLong.of(worker) : OptionalLong.empty();
      if (written.outcome() == WriteResult.Outcome.APPLIED) {
        applied(worker, written.version(), next);
        return new Attempt(written.outcome(), Optional.empty());
      }
      Optional<Register> seen = store.read(name);
      if (attempt + 1 == MAX_WRITES_AT_ONCE || !isOutstanding(seen)) {
        return new Attempt(written.outcome(), seen);
      }
      expected = seen.orElseThrow().version();
      if (next.held()) {
        long fence = WorkerRecord.parse(seen.orElseThrow()).fenceMillis();
        next = next.withFence(Math.max(next.fenceMillis(), fence));
      }
    }
  }

  private WriteResult send(String name, long expected, String text) {
    if (outstanding.size() >= MAX_OUTSTANDING) {
      outstanding.remove(0);
    }
    outstanding.add(text); // before it is sent: it may arrive whatever the call throws
    return store.compareAndSet(name, expected, text);
  }

  private void applied(long worker, long version, WorkerRecord record) {
    this.worker = worker;
    this.version = version;
    this.record = record;
    text = record.text();
    outstanding.clear();
  }

  /** Returns whether a register holds a write of this process that was not acknowledged. */
  boolean isOutstanding(Optional<Register> register) {
    return register.isPresent() && outstanding.contains(register.get().value());
  }

  private String nonce() {
    return Long.toHexString(time.random(Long.MAX_VALUE)) + Long.toHexString(time.nanoTime());
  }

  private String token() {
    return Long.toHexString(time.random(Long.MAX_VALUE))
        + Long.toHexString(time.random(Long.MAX_VALUE));
  }

  // Acquiring.

  /** Returns the worker of the last write, if the outcome of that write is unknown. */
  OptionalLong unsettledWorker() {
    return unsettled;
  }

  /** Forgets the lease that was held before. */
  void reset() {
    if (record != null) { // else they are acquisitions of this search, whose windows nobody used
      outstanding.clear();
      unsettled = OptionalLong.empty();
      record = null;
    }
  }

  /** Returns from when on a worker is free, as far as its register says. */
  long freeAtMillis(WorkerRecord other) {
    return other.freeAtMillis(mayForget() ? other.windowMillis() : 0);
  }

  /**
   * Puts a window behind what the register of a worker holds. It ends a window's length after the
   * later of its beginning and the shared clock, so that a process whose clock is behind has as
   * long to renew as others.
   *
   * @param register the register as it was read
   * @param nowMillis the clock that other processes agree with
   * @param earliestMillis where the window may begin
   * @return the window; null if another process was faster, or the outcome is unknown
   */
  @Nullable LeaseWindow take(
      long worker, Optional<Register> register, long nowMillis, long earliestMillis) {
    long clock = time.currentTimeMillis();
    long free = Math.max(clock, fenceOf(register, nowMillis));
    long begin = Math.max(free, earliestMillis);
    WorkerRecord mine =
        new WorkerRecord(
            Math.max(begin, nowMillis) + config.windowMillis(),
            true,
            OptionalLong.of(begin),
            config.windowMillis(),
            config.instance(),
            ProcessHandle.current().pid(),
            token(),
            "");
    Attempt attempt = write(worker, register.map(Register::version).orElse(0L), mine);
    return attempt.isApplied() ? new LeaseWindow(worker, begin, fenceMillis(), free - clock) : null;
  }

  private long fenceOf(Optional<Register> register, long nowMillis) {
    if (register.isPresent()) {
      WorkerRecord before = WorkerRecord.parse(register.get());
      // A window of this process that was never acknowledged was never used either.
      return isOutstanding(register)
          ? before.sinceMillis().orElse(before.fenceMillis())
          : before.fenceMillis();
    }
    return mayForget()
        ? nowMillis + config.windowMillis() + config.maxClockSkewMillis()
        : Long.MIN_VALUE;
  }

  /** Returns the fence that the store acknowledged last. */
  long fenceMillis() {
    return held().fenceMillis();
  }

  private WorkerRecord held() {
    if (record == null) {
      throw new IllegalStateException("lease: none (expected: acquired)");
    }
    return record;
  }

  // Renewing and releasing.

  /**
   * Moves the fence on to at least that time.
   *
   * @throws StoreException if the store cannot be asked, or does not report the outcome
   */
  Renewal renew(long fenceMillis) {
    WorkerRecord mine = held();
    Attempt attempt =
        write(worker, version, mine.withFence(Math.max(mine.fenceMillis(), fenceMillis)));
    return attempt.isApplied() ? Renewal.EXTENDED : judge(mine, attempt.seen());
  }

  private Renewal judge(WorkerRecord mine, Optional<Register> seen) {
    if (seen.isEmpty() || seen.get().version() < version) {
      return disproved();
    }
    if (seen.get().value().equals(text) || isOutstanding(seen)) {
      throw new StoreException(
          "Store " + store + " did not report the outcome of a renewal; it is tried again");
    }
    if (seen.get().version() == version) {
      return disproved();
    }
    WorkerRecord other = WorkerRecord.parse(seen.get());
    if (other.token().equals(mine.token())) {
      return Renewal.COPIED;
    }
    return other.sinceMillis().orElse(Long.MAX_VALUE) < mine.fenceMillis()
        ? disproved()
        : Renewal.LOST;
  }

  private Renewal disproved() {
    losesWrites = true;
    return Renewal.DISPROVED;
  }

  /**
   * Gives the worker back, with its fence just past the last tick that was drawn. Call after the
   * generator is closed.
   *
   * @return whether the store acknowledged it
   */
  boolean release(long newestMillis) {
    WorkerRecord mine = held();
    long notBefore = mine.sinceMillis().orElse(mine.fenceMillis());
    long fence = Math.max(notBefore, Math.min(newestMillis, mine.fenceMillis()));
    WorkerRecord released = mine.released(fence);
    for (int attempt = 1; attempt < MAX_WRITES_AT_ONCE; attempt++) {
      Attempt write = write(worker, version, released);
      if (write.isApplied()) {
        return true;
      }
      if (write.seen().filter(seen -> seen.version() == version).isEmpty()) {
        return false;
      }
    }
    return false;
  }

  @Override
  public String toString() {
    WorkerRecord now = record;
    return now == null
        ? "no worker"
        : "worker " + worker + " until " + Instant.ofEpochMilli(now.fenceMillis());
  }
}
