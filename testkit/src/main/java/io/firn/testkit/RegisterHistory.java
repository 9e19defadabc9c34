package io.firn.testkit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Checks that the recorded calls of one register are linearizable: one register can have answered
 * all of them, each at one moment between its start and its end.
 *
 * <h2>How it is judged</h2>
 *
 * Every write has a value of its own, so the values that were read show which write made which
 * version, and the versions show the order of the writes. What is left to find is the moment of
 * each write. One that was acknowledged happened between its start and its end; one of unknown
 * outcome happened after its start, or never. A read of a version proves that its write happened
 * before the end of the read, and that the next write did not happen before the start of the read.
 * A conflict proves that the version that it expected was not there yet at its start, or was gone
 * by its end.
 *
 * <p>Each version has an interval in which its moment can lie. The interval begins with that of the
 * version before, or later. A conflict shortens the interval if the version before must have been
 * there when the conflict began, however late it came; else it shortens nothing. So one sweep over
 * the versions finds all intervals, and an empty one means that there is no such register. This
 * misses no contradiction and reports no false one: within an interval, a later moment of one
 * version leaves more room to the next.
 */
final class RegisterHistory {

  /** The outcome of a call. */
  enum Outcome {
    /** With a version, or with 0 if the register was not there. */
    READ,
    APPLIED,
    CONFLICT,
    UNKNOWN,
    /** With the word that it was not applied and never will be. */
    REFUSED
  }

  /**
   * A call that a client made.
   *
   * @param begin a moment before it, on the one clock of all clients
   * @param end a moment after it
   * @param expected the version that a write expected
   * @param version the version that was read, or that an applied write made
   * @param value what was read or was to be written; every write's is its own
   */
  record Call(Outcome outcome, long begin, long end, long expected, long version, String value) {

    boolean isWrite() {
      return outcome != Outcome.READ;
    }
  }

  /** The interval in which the write of a version happened, and the calls that prove it. */
  private static final class Interval {
    private final String version;
    private long from = Long.MIN_VALUE;
    private long until = Long.MAX_VALUE;
    private @Nullable Call fromCall;
    private @Nullable Call untilCall;

    Interval(String version) {
      this.version = version;
    }

    void notBefore(long moment, @Nullable Call call) {
      if (moment > from) {
        from = moment;
        fromCall = call;
      }
    }

    void notAfter(long moment, @Nullable Call call) {
      if (moment < until) {
        until = moment;
        untilCall = call;
      }
    }
  }

  private final String name;
  private final Collection<Call> calls;
  private final Map<String, Call> writes = new HashMap<>();
  private final TreeMap<Long, String> values = new TreeMap<>();

  private RegisterHistory(String name, Collection<Call> calls) {
    this.name = name;
    this.calls = calls;
  }

  /**
   * Judges the calls to a register that was not there before them.
   *
   * @throws AssertionError if no register can have done this; it names the calls that contradict
   */
  static void check(String name, Collection<Call> calls) {
    RegisterHistory history = new RegisterHistory(name, calls);
    history.checkVersions();
    history.checkOrder();
    history.checkMoments();
  }

  /** As {@link #check}, of a register that may have been forgotten: its versions do not repeat. */
  static void checkForgetful(String name, Collection<Call> calls) {
    new RegisterHistory(name, calls).checkVersions();
  }

  /**
   * Checks that each version was made by one write, and that each write made one version at most.
   */
  private void checkVersions() {
    for (Call call : calls) {
      if (call.isWrite() && writes.put(call.value(), call) != null) {
        throw new IllegalArgumentException(
            "value: " + call.value() + " (expected: each is written once)");
      }
      if (call.version() != 0) {
        String other = values.putIfAbsent(call.version(), call.value());
        if (other != null && !other.equals(call.value())) {
          throw refused("version " + call.version() + " has two values: " + other, call);
        }
      }
    }
    Map<String, Long> versions = new HashMap<>();
    values.forEach((version, value) -> checkVersion(version, value, versions.put(value, version)));
  }

  private void checkVersion(long version, String value, @Nullable Long earlier) {
    Call write = writes.get(value);
    if (write == null) {
      throw refused("version " + version + " has a value that was not written: " + value);
    }
    if (earlier != null) {
      throw refused("applied twice, in the versions " + earlier + " and " + version, write);
    }
    if (write.outcome() == Outcome.CONFLICT || write.outcome() == Outcome.REFUSED) {
      throw refused("applied in version " + version + ", against its outcome", write);
    }
  }

  /** Checks that each write followed the version that it expected. */
  private void checkOrder() {
    long before = 0;
    for (Map.Entry<Long, String> made : values.entrySet()) {
      Call write = writeOf(made.getKey());
      if (write.expected() != before) {
        throw refused("applied after version " + before, write);
      }
      before = made.getKey();
    }
  }

  private void checkMoments() {
    List<Long> versions = new ArrayList<>(values.keySet());
    versions.add(0, 0L);
    Map<Long, Integer> places = new HashMap<>();
    List<Interval> intervals = new ArrayList<>();
    List<List<Call>> conflicts = new ArrayList<>();
    for (long version : versions) {
      places.put(version, intervals.size());
      intervals.add(interval(version));
      conflicts.add(new ArrayList<>());
    }
    intervals.add(intervalAfter(versions.get(versions.size() - 1)));
    for (Call call : calls) {
      if (call.outcome() == Outcome.READ) {
        int place = places.getOrDefault(call.version(), 0);
        intervals.get(place).notAfter(call.end(), call);
        intervals.get(place + 1).notBefore(call.begin(), call);
      } else if (call.outcome() == Outcome.CONFLICT && places.containsKey(call.expected())) {
        conflicts.get(places.getOrDefault(call.expected(), 0)).add(call);
      }
    }
    for (int i = 0; i < versions.size(); i++) {
      sweep(intervals.get(i), conflicts.get(i), intervals.get(i + 1));
    }
  }

  /** Returns the interval of a version, from its own write. */
  private Interval interval(long version) {
    Interval interval = new Interval("version " + version);
    if (version == 0) {
      interval.until = Long.MIN_VALUE;
    } else {
      Call write = writeOf(version);
      interval.notBefore(write.begin(), write);
      if (write.outcome() == Outcome.APPLIED) {
        interval.notAfter(write.end(), write);
      }
    }
    return interval;
  }

  /** Returns the interval of a write of unknown outcome after the last version that was read. */
  private Interval intervalAfter(long last) {
    Interval interval = new Interval("whatever followed version " + last);
    calls.stream()
        .filter(call -> call.outcome() == Outcome.UNKNOWN && call.expected() == last)
        .filter(call -> !values.containsValue(call.value()))
        .min(Comparator.comparingLong(Call::begin))
        .ifPresentOrElse(
            write -> interval.notBefore(write.begin(), write),
            () -> interval.notBefore(Long.MAX_VALUE, null));
    return interval;
  }

  private void sweep(Interval before, List<Call> conflicts, Interval next) {
    for (Call conflict : conflicts) {
      if (conflict.begin() > before.until) {
        next.notAfter(conflict.end(), conflict);
      }
    }
    next.notBefore(before.from, before.fromCall);
    if (next.from > next.until) {
      throw refused(
          next.version
              + " has no moment"
              + (next.fromCall == null ? "" : ", not before the start of " + next.fromCall)
              + ", not after the end of",
          next.untilCall);
    }
  }

  private Call writeOf(long version) {
    return Objects.requireNonNull(writes.get(values.get(version)));
  }

  private AssertionError refused(String what, @Nullable Call call) {
    return refused(what + " " + call);
  }

  private AssertionError refused(String what) {
    return new AssertionError("register " + name + ": " + what);
  }
}
