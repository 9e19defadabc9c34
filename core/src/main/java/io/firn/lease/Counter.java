package io.firn.lease;

import io.firn.lease.SegmentRecord.Given;
import io.firn.segment.CounterWentBackException;
import io.firn.segment.Segment;
import io.firn.segment.SegmentRefusedException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The counter of one key, as one process sees it: a register that is moved on by compare-and-set.
 * Thread-safe, one call at a time.
 *
 * <p>Numbers belong to the process whose write moved the register past them. If it does not know
 * what became of its write, it reads: the record names who was given what of late, so numbers under
 * this call's own token are its own. If they are not there, the write may still be applied later;
 * then nobody uses those numbers, unless this call finds them there after all.
 *
 * <p>The process remembers the numbers that it was given last. A register that stands below them,
 * or that remembers others in their place, has gone back.
 */
final class Counter {

  /** Each is lost to a process that was faster, so many lost ones mean that others have got on. */
  private static final int MAX_ATTEMPTS = 64;

  /** Each may take as long as the store lets a caller wait, and may cost a segment. */
  private static final int MAX_UNTOLD = 3;

  private final RegisterStore store;
  private final String key;
  private final String name;
  private final Tokens tokens;
  private final OptionalLong initial;
  private final ReentrantLock lock = new ReentrantLock();
  private long end = Long.MIN_VALUE;
  private @Nullable String token;

  /** The counter of a key; it begins at {@code initial}, or must exist if that is empty. */
  Counter(RegisterStore store, String key, Tokens tokens, OptionalLong initial) {
    this.store = store;
    this.key = key;
    this.tokens = tokens;
    this.initial = initial;
    name = nameOf(key);
  }

  static String nameOf(String key) {
    return key + "/segment";
  }

  Segment next(long count) {
    lock.lock();
    try {
      return take(count, tokens.next());
    } finally {
      lock.unlock();
    }
  }

  private Segment take(long count, String mine) {
    int untold = 0;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Optional<Register> register = store.read(name);
      SegmentRecord before = recordOf(register);
      Optional<Given> applied = before.of(mine);
      if (applied.isPresent()) {
        return remember(applied.get());
      }
      if (untold == MAX_UNTOLD) {
        throw untoldWrites();
      }
      checkMemory(before);
      long given = Math.min(count, left(before));
      switch (write(register, before.give(given, mine)).outcome()) {
        case APPLIED -> {
          return remember(new Given(before.next(), given, mine));
        }
        case UNKNOWN -> untold++;
        case CONFLICT -> {}
      }
    }
    throw refusedWrites();
  }

  private WriteResult write(Optional<Register> register, SegmentRecord record) {
    return store.compareAndSet(name, register.map(Register::version).orElse(0L), record.text());
  }

  private SegmentRecord recordOf(Optional<Register> register) {
    if (register.isPresent()) {
      return SegmentRecord.parse(register.get());
    }
    if (initial.isEmpty() && end == Long.MIN_VALUE) {
      throw new SegmentRefusedException(
          "key: " + key + " (expected: one that has a counter in " + store + ")");
    }
    return SegmentRecord.startingAt(initial.orElse(0));
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
          "counter: at "
              + record.next()
              + " for key "
              + key
              + " in "
              + store
              + " (expected: below 2^63-1, all numbers are used up)");
    }
    return left;
  }

  private Segment remember(Given given) {
    end = given.end();
    token = given.token();
    return given.segment();
  }

  private StoreException untoldWrites() {
    return new StoreException(
        "store: " + store + " (expected: to tell what became of " + MAX_UNTOLD + " writes)");
  }

  private StoreException refusedWrites() {
    return new StoreException(
        "store: "
            + store
            + " (expected: to take one of "
            + MAX_ATTEMPTS
            + " writes to "
            + name
            + ")");
  }

  /** Takes numbers back if they are the end of the newest that were handed out, to this process. */
  boolean giveBack(Segment rest) {
    lock.lock();
    try {
      Optional<Register> register = store.read(name);
      SegmentRecord before = recordOf(register);
      Optional<Given> newest = before.newest().filter(given -> isMine(given, rest, before));
      return newest.isPresent() && takeBack(register, before, newest.get(), rest.first());
    } finally {
      lock.unlock();
    }
  }

  private boolean isMine(Given given, Segment rest, SegmentRecord record) {
    return tokens.isOwn(given.token())
        && given.first() <= rest.first()
        && given.end() == rest.last() + 1
        && given.end() == record.next();
  }

  private boolean takeBack(
      Optional<Register> register, SegmentRecord before, Given newest, long first) {
    WriteResult written = write(register, before.takeBack(newest, first - newest.first()));
    if (written.outcome() != WriteResult.Outcome.CONFLICT) {
      end = first;
      token = null; // others may be given those numbers now
    }
    return written.outcome() == WriteResult.Outcome.APPLIED;
  }

  /** Moves the register on to that number, unless it is there or past it. */
  long raise(long number) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      Optional<Register> register = store.read(name);
      SegmentRecord before =
          register.map(SegmentRecord::parse).orElse(SegmentRecord.startingAt(number));
      if (register.isPresent() && before.next() >= number) {
        return before.next();
      }
      if (write(register, before.movedTo(number)).outcome() == WriteResult.Outcome.APPLIED) {
        return number;
      }
    }
    throw refusedWrites();
  }
}
