package io.firn.lease;

import io.firn.internal.LeaseWindow;
import io.firn.internal.RecordText;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The lease protocol: the writes of one lease to the register of its worker, and its conclusions
 * from the result. For one thread at a time; any thread may ask for the low mark and the mark.
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
 * <h2>A read is not an acknowledgment</h2>
 *
 * A read may show a write that a crash of the store then takes back. So a window counts only once a
 * compare-and-set of this process was reported as applied. After any other outcome the register is
 * read, and if it holds a write of this process, that yields the version for another
 * compare-and-set, the confirmation, and nothing else. A version that was only read is not
 * remembered.
 *
 * <p>A process recognizes a register as its own only if the whole text equals an outstanding write
 * of this process: one whose outcome was not reported as applied. Each write carries a nonce, and
 * each acquisition a token, both from the operating system's random source. So a copy of this
 * process (a snapshot that was restored twice) is another process: whichever of the two renews
 * second finds a text that it did not write, stops at once, and leases another worker.
 *
 * <h2>Proof that the store lost a write</h2>
 *
 * A legitimate successor's window begins at or past this lease's fence. A register that is gone, is
 * older than the version that was acknowledged, or is held by a process whose window begins before
 * this lease's fence, proves that the store lost an acknowledged write. The holder then stops at
 * once, and treats the store as one that may forget.
 *
 * <h2>A store that loses acknowledged writes</h2>
 *
 * Where the store has an identity, each write is bound to the mark of the namespace; see {@link
 * MarkProtocol}. A holder that finds another mark writes its record again over the current
 * contents, as long as its window has not ended and ends before new processes begin. If it finds a
 * loss under the mark that it knows, nothing delayed new processes: it stops, and a new mark is
 * written.
 *
 * <p>Where a store that may forget has no identity, a register that is absent may have been there.
 * Its first window therefore begins one window and the clock skew ahead of the store's clock, past
 * every window that its forgotten holder can have. A worker that was not released is free only a
 * whole window after its fence, because a forgotten renewal may have moved that by as much.
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
  private final MarkProtocol markProtocol;
  private final LayoutWatch layouts;
  private final long maxLeadMillis;
  private final TimeSource time;
  private final ReferenceClock clock;
  private final List<String> outstanding = new ArrayList<>();
  private boolean losesWrites;
  private OptionalLong workerOfUnknownWrite = OptionalLong.empty();
  private long worker;
  private long version;
  private volatile @Nullable WorkerRecord record;
  private boolean rewritten;
  private String text = "";
  private volatile @Nullable MarkRead markRead;

  LeaseProtocol(
      LeaseConfig config,
      MarkProtocol markProtocol,
      LayoutWatch layouts,
      long maxLeadMillis,
      TimeSource time,
      ReferenceClock clock) {
    this.clock = clock;
    this.config = config;
    this.markProtocol = markProtocol;
    this.layouts = layouts;
    this.maxLeadMillis = maxLeadMillis;
    this.time = time;
    store = config.store();
  }

  /**
   * Returns whether the store may lose acknowledged writes, as declared or as observed, and has no
   * identity that shows it.
   */
  boolean mayForget() {
    return markRead == null && (losesWrites || store.mayForget());
  }

  /** Returns whether the store loses no write that it acknowledged, as declared and as observed. */
  boolean keepsWrites() {
    return markRead == null && !losesWrites && !store.mayForget();
  }

  /** Returns whether the last write was bound to the register of the namespace, as it was read. */
  boolean isBound() {
    return markRead != null;
  }

  /** Returns the home datacenters under which the last write was applied, if it was bound. */
  Optional<Homes> boundHomes() {
    return Optional.ofNullable(markRead).map(MarkRead::homes);
  }

  /** Returns the low mark that was published last, if the lease publishes one. */
  Optional<Instant> low() {
    WorkerRecord written = record;
    return written == null || written.lowMillis().isEmpty()
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(written.lowMillis().getAsLong()));
  }

  /** Returns the mark under which the last write was applied, if it was bound. */
  Optional<Namespace.Mark> mark() {
    return Optional.ofNullable(markRead).map(MarkRead::mark).map(Namespace::markOf);
  }

  // A write that this process may have made.

  private record Attempt(WriteResult.Outcome outcome, WorkerRead read) {

    Optional<Register> seen() {
      return read.register();
    }

    boolean isApplied() {
      return outcome == WriteResult.Outcome.APPLIED;
    }
  }

  /**
   * Writes a record, and again as long as the register turns out to hold an outstanding write.
   *
   * @return what was applied, or what is in the register instead
   */
  private Attempt write(
      long worker, long expectedVersion, WorkerRecord wanted, @Nullable MarkRead under) {
    String name = config.namespace().workerRegister(worker);
    long expected = expectedVersion;
    MarkRead mark = under;
    WorkerRecord next = wanted;
    for (int attempt = 0; ; attempt++) {
      next = next.withNonce(nonce());
      WriteResult written = send(name, expected, next.text(), mark);
      boolean unknown = written.outcome() == WriteResult.Outcome.UNKNOWN;
      workerOfUnknownWrite = unknown ? OptionalLong.of(worker) : OptionalLong.empty();
      if (written.outcome() == WriteResult.Outcome.APPLIED) {
        applied(worker, written.version(), next, mark);
        return new Attempt(written.outcome(), new WorkerRead(Optional.empty(), 0, mark));
      }
      WorkerRead read = look(name, mark);
      boolean again = isSameMark(mark, read) && isRepeatable(read.register(), unknown);
      if (attempt + 1 == MAX_WRITES_AT_ONCE || !again) {
        return new Attempt(written.outcome(), read);
      }
      mark = read.markRead();
      Register seen = read.register().orElseThrow();
      expected = seen.version();
      if (next.held()) {
        long fence = WorkerRecord.parse(seen).fenceMillis();
        next = next.withFence(Math.max(next.fenceMillis(), fence));
      }
    }
  }

  private WorkerRead look(String name, @Nullable MarkRead mark) {
    if (mark == null) {
      return new WorkerRead(store.read(name), 0, null);
    }
    MarkRead now =
        markProtocol
            .readAgain(List.of(name))
            .orElseThrow(
                () ->
                    new StoreException(
                        "Store "
                            + store
                            + " no longer shows its identity; restore the right to read it, or the"
                            + " setting of the server that shows it"));
    return new WorkerRead(now.register(name), now.nowMillis(), now);
  }

  private static boolean isSameMark(@Nullable MarkRead mark, WorkerRead read) {
    MarkRead now = read.markRead();
    return mark == null || now == null || now.hasMarkOf(mark);
  }

  /** Returns whether a register shows that a write can be repeated at once, against its version. */
  private boolean isRepeatable(Optional<Register> seen, boolean unknown) {
    return isOutstanding(seen)
        || (record != null
            && markRead != null
            && !unknown
            && seen.isPresent()
            && seen.get().value().equals(text));
  }

  private WriteResult send(String name, long expected, String text, @Nullable MarkRead mark) {
    if (outstanding.size() >= MAX_OUTSTANDING) {
      outstanding.remove(0);
    }
    outstanding.add(text); // before it is sent: it may arrive even if the call throws
    return config.namespace().write(name, expected, text, mark == null ? null : mark.binding());
  }

  private void applied(long worker, long version, WorkerRecord record, @Nullable MarkRead mark) {
    markRead = mark;
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
    return RecordText.nonce(time) + Long.toHexString(time.nanoTime());
  }

  private String token() {
    return RecordText.nonce(time) + RecordText.nonce(time);
  }

  // Acquiring.

  /** Returns the worker of the last write, if the outcome of that write is unknown. */
  OptionalLong workerOfUnknownWrite() {
    return workerOfUnknownWrite;
  }

  /** Forgets the lease that was held before. */
  void reset() {
    if (record != null) { // else they are acquisitions of this search, whose windows were not used
      outstanding.clear();
      workerOfUnknownWrite = OptionalLong.empty();
      record = null;
      markRead = null;
    }
  }

  /** Returns whether a register holds what this process wrote last, and was acknowledged. */
  boolean isLastWrite(Register register) {
    return register.value().equals(text);
  }

  /** Returns from when on a worker is free, as far as its register says. */
  long freeAtMillis(WorkerRecord other, @Nullable MarkRead mark) {
    if (other.reserved()) {
      return other.fenceMillis();
    }
    if (mark != null) {
      // A released one is free if at least half a window is left up to where new ones end.
      long half = config.windowMillis() / 2;
      long free = other.fenceMillis() - half;
      boolean early = free <= mark.settledAtMillis();
      return other.held()
          ? other.freeAtMillis(config.maxSplitMillis())
          : early ? Math.min(free, mark.nowMillis()) : free;
    }
    return other.freeAtMillis(losesWrites || store.mayForget() ? other.windowMillis() : 0);
  }

  /**
   * Puts a window behind what the register of a worker holds. It ends a window's length after the
   * later of its beginning and the shared clock, so that a process whose clock is behind has as
   * long to renew as others.
   *
   * @param read the register as it was read
   * @param earliestMillis where the window may begin
   * @return the window; null if another process was faster, the outcome is unknown, or a
   *     transaction of the holder is about to commit
   */
  @Nullable LeaseWindow take(long worker, WorkerRead read, long earliestMillis) {
    WorkerRecord other = read.register().map(WorkerRecord::parse).orElse(null);
    if (other != null && !new GuardProtocol(config.namespace(), time).end(worker, other)) {
      return null;
    }
    MarkRead mark = read.markRead();
    long now = clock.trustedMillis();
    long fence = fenceOf(read);
    long free = Math.max(now, fence);
    long begin = Math.max(free, earliestMillis);
    long last = begin;
    if (mark != null) {
      // No window ends later than one that begins where all may, or at the largest lead.
      long first = Math.max(now, mark.settledAtMillis());
      last = Math.max(first, Math.min(earliestMillis, now + maxLeadMillis));
      free = Math.max(first, fence);
      begin = Math.max(last, fence);
    }
    // An own write without an answer may begin later: the clocks have gone back since.
    long end = Math.max(begin, Math.max(last, read.nowMillis()) + config.windowMillis());
    WorkerRecord mine =
        new WorkerRecord(
                end,
                true,
                OptionalLong.of(begin),
                config.windowMillis(),
                config.instance(),
                ProcessHandle.current().pid(),
                token(),
                "")
            .withBlock(blockOf(read))
            .withLayout(layouts.layout().toString());
    long version = read.register().map(Register::version).orElse(0L);
    Attempt attempt = write(worker, version, mine, mark);
    return attempt.isApplied() ? new LeaseWindow(worker, begin, fenceMillis(), free - now) : null;
  }

  private static OptionalLong blockOf(WorkerRead read) {
    return read.register()
        .map(WorkerRecord::parse)
        .map(WorkerRecord::blockMillis)
        .orElse(OptionalLong.empty());
  }

  private long fenceOf(WorkerRead read) {
    Optional<Register> register = read.register();
    if (register.isPresent()) {
      WorkerRecord before = WorkerRecord.parse(register.get());
      // A window of this process that was never acknowledged was never used either.
      return isOutstanding(register)
          ? before.sinceMillis().orElse(before.fenceMillis())
          : before.fenceMillis();
    }
    return read.markRead() == null && (losesWrites || store.mayForget())
        ? read.nowMillis() + config.windowMillis() + config.maxClockSkewMillis()
        : Long.MIN_VALUE;
  }

  /** Returns what names the acquisition that is held. */
  String heldToken() {
    return held().token();
  }

  /** Returns the fence that the store acknowledged last. */
  long fenceMillis() {
    return held().fenceMillis();
  }

  private WorkerRecord held() {
    if (record == null) {
      throw new IllegalStateException("No lease was acquired; wait until build() has acquired one");
    }
    return record;
  }

  // Renewing and releasing.

  /** Returns whether a lost register was rewritten since the last call. */
  boolean takeRewritten() {
    boolean wasRewritten = rewritten;
    rewritten = false;
    return wasRewritten;
  }

  /**
   * Moves the fence on to at least that time.
   *
   * @param lowMillis the low mark to publish; empty for none
   * @param guarded whether commits have a guard
   * @throws StoreException if the store cannot be asked, or does not report the outcome
   */
  Renewal renew(long fenceMillis, OptionalLong lowMillis, boolean guarded) {
    WorkerRecord mine = held();
    WorkerRecord wanted =
        mine.withFence(Math.max(mine.fenceMillis(), fenceMillis))
            .withLow(lowMillis)
            .withLayout(layouts.layout().toString())
            .withGuard(guarded);
    MarkRead known = markRead;
    if (known == null) {
      Attempt attempt = write(worker, version, wanted, null);
      return attempt.isApplied() ? Renewal.EXTENDED : classifyConflict(mine, attempt.seen());
    }
    try {
      return renewBound(mine, wanted, known);
    } catch (LayoutMismatchException e) { // the namespace was lost, and others use it now
      return Renewal.DISPROVED;
    }
  }

  private Renewal renewBound(WorkerRecord mine, WorkerRecord wanted, MarkRead known) {
    Attempt attempt = write(worker, version, wanted, known);
    for (int again = 1; !attempt.isApplied() && again < MAX_WRITES_AT_ONCE; again++) {
      WorkerRead read = attempt.read();
      Renewal found = classifyBoundConflict(mine, read, known);
      if (found != Renewal.EXTENDED) {
        return found;
      }
      rewritten |= !isWritten(read.register());
      attempt = reassert(wanted, read);
    }
    if (!attempt.isApplied()) {
      throw unreported();
    }
    return Renewal.EXTENDED;
  }

  /** Writes a record again over the current contents. */
  private Attempt reassert(WorkerRecord wanted, WorkerRead read) {
    Optional<Register> seen = read.register();
    long fence = wanted.fenceMillis();
    if (isOutstanding(seen)) {
      fence = Math.max(fence, WorkerRecord.parse(seen.orElseThrow()).fenceMillis());
    }
    long expected = seen.map(Register::version).orElse(0L);
    return write(worker, expected, wanted.withFence(fence), read.markRead());
  }

  /**
   * Classifies a conflict of a write that was bound to the mark. Returns EXTENDED if the record may
   * be written again.
   */
  private Renewal classifyBoundConflict(WorkerRecord mine, WorkerRead read, MarkRead known) {
    Optional<Register> seen = read.register();
    MarkRead now = Objects.requireNonNull(read.markRead());
    WorkerRecord other = seen.map(WorkerRecord::parse).orElse(null);
    boolean own = other != null && other.token().equals(mine.token());
    boolean written = isWritten(seen);
    if (own && !written && seen.orElseThrow().version() > version) {
      return Renewal.COPIED;
    }
    if (other != null && !own && since(other) >= mine.fenceMillis()) {
      return Renewal.LOST;
    }
    if (now.hasMarkOf(known)) {
      if (written) {
        throw unreported();
      }
      markProtocol.requestNewMark(now);
      return Renewal.DISPROVED;
    }
    if (mine.fenceMillis() <= read.nowMillis() + config.maxClockSkewMillis()) {
      return Renewal.LOST; // new processes begin past its window: the rest of that may be used
    }
    if (written) {
      return Renewal.EXTENDED; // this register was not lost
    }
    boolean ofNewProcess = other != null && !own && since(other) > since(mine);
    return ofNewProcess || mine.fenceMillis() > now.settledAtMillis()
        ? Renewal.DISPROVED
        : Renewal.EXTENDED;
  }

  /** Returns whether a register holds what this process wrote last, acknowledged or not. */
  private boolean isWritten(Optional<Register> seen) {
    return isOutstanding(seen) || seen.filter(this::isLastWrite).isPresent();
  }

  private static long since(WorkerRecord record) {
    return record.sinceMillis().orElse(Long.MAX_VALUE);
  }

  private StoreException unreported() {
    return new StoreException(
        "Store " + store + " did not report the outcome of a renewal; the renewal is retried");
  }

  /** Classifies a conflict of a write in a store without an identity. */
  private Renewal classifyConflict(WorkerRecord mine, Optional<Register> seen) {
    if (seen.isEmpty() || seen.get().version() < version) {
      return disproved();
    }
    if (seen.get().value().equals(text) || isOutstanding(seen)) {
      throw unreported();
    }
    if (seen.get().version() == version) {
      return disproved();
    }
    WorkerRecord other = WorkerRecord.parse(seen.get());
    if (other.token().equals(mine.token())) {
      return Renewal.COPIED;
    }
    return since(other) < mine.fenceMillis() ? disproved() : Renewal.LOST;
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
      MarkRead known = markRead;
      Attempt write = write(worker, version, released, known);
      if (write.isApplied()) {
        return true;
      }
      if (!isSameMark(known, write.read())) {
        if (renew(mine.fenceMillis(), mine.lowMillis(), mine.guarded()) == Renewal.EXTENDED) {
          continue; // held again under the new mark
        }
        return false;
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
