package io.firn.segment;

import io.firn.internal.RecordText;
import io.firn.segment.SegmentRecord.Given;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The counter of one key, as one process sees it: a register that is moved on by compare-and-set.
 * Thread-safe, one call at a time.
 *
 * <p>Numbers belong to the process whose write moved the register past them. They are used only
 * once a write of this process was reported as applied: a read may show a write that a crash of the
 * store then takes back. If the outcome of a write is unknown, the register is read. The record
 * names the newest numbers and who was given them, so numbers under a token of this call are its
 * own, and another write confirms them. If they are not there, the write may still be applied
 * later; then no one uses those numbers, unless this call finds them applied after all. A token is
 * drawn for each write, so a copy of this process (a snapshot that was restored twice) does not
 * take the numbers of the other for its own, also if it was copied between a write and its
 * confirmation.
 *
 * <p>In a store that may forget and has an identity, the record names that identity, and each write
 * is bound to it. Under another identity, and where there is no record, numbers may have been lost,
 * and no time bounds them: the counter refuses until an operator raises it.
 *
 * <p>The process remembers the numbers that it was given last. A register that is below them, or
 * that remembers others in their place, has gone back.
 */
final class RegisterCounter {

  /**
   * A lost attempt means that a faster process succeeded, so repeated losses mean progress of
   * others.
   */
  private static final int MAX_ATTEMPTS = 64;

  /** Each may take as long as the store lets a caller wait, and may cost a segment. */
  private static final int MAX_UNKNOWN_WRITES = 3;

  private final RegisterStore store;
  private final String key;
  private final String name;
  private final TimeSource time;
  private final OptionalLong initial;
  private final ReentrantLock lock = new ReentrantLock();
  private long end = Long.MIN_VALUE;
  private @Nullable String token;

  /** The newest numbers that this process was given, the newest first. */
  private final Deque<String> own = new ArrayDeque<>();

  /** Creates a counter of a key; it begins at {@code initial}, or must exist if that is empty. */
  RegisterCounter(RegisterStore store, String key, TimeSource time, OptionalLong initial) {
    this.store = store;
    this.key = key;
    this.time = time;
    this.initial = initial;
    name = nameOf(key);
  }

  static String nameOf(String key) {
    return key + "/segment";
  }

  Segment next(long count) {
    lock.lock();
    try {
      return take(count);
    } finally {
      lock.unlock();
    }
  }

  private Segment take(long count) {
    int unknownWrites = 0;
    Set<String> written = new HashSet<>();
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      CounterRead register = look();
      SegmentRecord before = recordOf(register);
      if (unknownWrites == MAX_UNKNOWN_WRITES) {
        throw unreportedWrites(", whose numbers of key " + key + " may be lost");
      }
      Optional<Given> seen = before.ofAny(written);
      if (seen.isEmpty()) {
        checkMemory(before);
      }
      String token = newToken();
      SegmentRecord next =
          seen.isPresent()
              ? before.confirm(seen.get(), token)
              : before.give(Math.min(count, left(before)), token);
      written.add(token);
      switch (write(register, next).outcome()) {
        case APPLIED -> {
          return remember(next.ofAny(Set.of(token)).orElseThrow());
        }
        case UNKNOWN -> unknownWrites++;
        case CONFLICT -> {} // another process was faster, or the client sent this write twice
      }
    }
    throw refusedWrites();
  }

  private String newToken() {
    return RecordText.nonce(time) + RecordText.nonce(time);
  }

  /**
   * The register as it was read.
   *
   * @param identity the identity of the store at that moment; empty where it does not count
   */
  private record CounterRead(Optional<Register> register, String identity) {

    long version() {
      return register.map(Register::version).orElse(0L);
    }
  }

  private CounterRead look() {
    Optional<Snapshot> read = store.mayForget() ? store.snapshot(List.of(name)) : Optional.empty();
    return read.map(snapshot -> new CounterRead(snapshot.register(name), snapshot.identity()))
        .orElseGet(() -> new CounterRead(store.read(name), ""));
  }

  private WriteResult write(CounterRead seen, SegmentRecord record) {
    long version = seen.version();
    return seen.identity().isEmpty()
        ? store.compareAndSet(name, version, record.text())
        : store.compareAndSet(
            name, version, record.text(), new Binding(seen.identity(), name, version));
  }

  private SegmentRecord recordOf(CounterRead seen) {
    Optional<Register> register = seen.register();
    if (register.isPresent()) {
      SegmentRecord record = SegmentRecord.parse(register.get());
      if (record.isOf(seen.identity())) {
        return record;
      }
      throw mayHaveLost("at " + record.next());
    }
    if (!seen.identity().isEmpty()) {
      throw mayHaveLost("absent");
    }
    if (initial.isEmpty() && end == Long.MIN_VALUE) {
      throw new UnknownKeyException(
          "key: " + key + " (expected: one that has a counter in " + store + ")");
    }
    return SegmentRecord.startingAt(initial.orElse(0));
  }

  private SegmentRefusedException mayHaveLost(String found) {
    return new SegmentRefusedException(
        "Store "
            + store
            + " may have lost numbers of key "
            + key
            + ", whose counter is "
            + found
            + ", because it was started, promoted or restored; raise the counter above every number"
            + " in use with firn segments --raise");
  }

  private void checkMemory(SegmentRecord record) {
    if (record.next() < end) {
      token = null; // what was given under it is void
      throw CounterWentBackException.of(key, store, record.next(), end - 1);
    }
    if (token != null && !record.mayHaveGiven(end, token)) {
      token = null;
      throw CounterWentBackException.rewritten(key, store, record.next(), end - 1);
    }
  }

  private long left(SegmentRecord record) {
    long left = Long.MAX_VALUE - record.next();
    if (left == 0) {
      throw new SegmentRefusedException(
          "Counter of key "
              + key
              + " in "
              + store
              + " is at "
              + record.next()
              + ": all numbers are used up; use another key");
    }
    return left;
  }

  private Segment remember(Given given) {
    end = given.end();
    token = given.token();
    own.push(given.token());
    if (own.size() > SegmentRecord.MAX_RECENT) {
      own.removeLast();
    }
    return given.segment();
  }

  private StoreException unreportedWrites(String what) {
    return new StoreException(
        "Store "
            + store
            + " did not report the outcome of "
            + MAX_UNKNOWN_WRITES
            + " writes"
            + what
            + "; try again");
  }

  private StoreException refusedWrites() {
    return new StoreException(
        "Store "
            + store
            + " refused "
            + MAX_ATTEMPTS
            + " writes to "
            + name
            + " in a row; try again, or take larger segments, so that processes write less often");
  }

  /** Takes numbers back if they are the end of the newest that were handed out, to this process. */
  boolean giveBack(Segment rest) {
    lock.lock();
    try {
      CounterRead register = look();
      SegmentRecord before = recordOf(register);
      Optional<Given> newest = before.newest().filter(given -> isMine(given, rest, before));
      return newest.isPresent() && takeBack(register, before, newest.get(), rest.first());
    } finally {
      lock.unlock();
    }
  }

  private boolean isMine(Given given, Segment rest, SegmentRecord record) {
    return own.contains(given.token())
        && given.first() <= rest.first()
        && given.end() == rest.last() + 1
        && given.end() == record.next();
  }

  private boolean takeBack(CounterRead register, SegmentRecord before, Given newest, long first) {
    end = first; // regardless of the write's outcome: no caller here has used a number past it
    token = null; // others may be given those numbers now
    WriteResult written = write(register, before.takeBack(newest, first - newest.first()));
    return written.outcome() == WriteResult.Outcome.APPLIED;
  }

  /** Lets the counter refuse until it is raised. */
  void refuseUntilRaised() {
    var unused =
        change(
            seen ->
                seen.register()
                    .map(SegmentRecord::parse)
                    .map(before -> before.movedTo(before.next(), SegmentRecord.RESTORED)));
  }

  /** Moves the register on to that number, unless it is past it. */
  long raise(long number) {
    return change(seen -> Optional.of(raised(seen, number))).orElseThrow().next();
  }

  private static SegmentRecord raised(CounterRead seen, long number) {
    SegmentRecord before =
        seen.register().map(SegmentRecord::parse).orElse(SegmentRecord.startingAt(number));
    return before.movedTo(Math.max(number, before.next()), seen.identity());
  }

  /**
   * Writes the register until a write is reported as applied, also where it was read to hold what
   * is wanted.
   *
   * @param change returns what to write; empty to write nothing
   * @return what was written
   */
  private Optional<SegmentRecord> change(Function<CounterRead, Optional<SegmentRecord>> change) {
    int unknownWrites = 0;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      CounterRead seen = look();
      Optional<SegmentRecord> next = change.apply(seen);
      if (next.isEmpty()) {
        return next;
      }
      WriteResult.Outcome outcome = write(seen, next.get()).outcome();
      if (outcome == WriteResult.Outcome.APPLIED) {
        return next;
      }
      if (outcome == WriteResult.Outcome.UNKNOWN && ++unknownWrites == MAX_UNKNOWN_WRITES) {
        throw unreportedWrites(" to " + name);
      }
    }
    throw refusedWrites();
  }
}
