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
 * outcome happened after its start, or never. Who reads a version says that it had come by the end
 * of the read, and that the next one had not come before its start. A conflict says of the version
 * that it expected that it had not come yet at its start or was gone by its end.
 *
 * <p>Each version has a stretch of time in which its moment can lie. It begins where that of the
 * version before begins, or later. A conflict cuts its end off if the version before must have been
 * there when the conflict began, however late it came; else it cuts nothing. So one sweep over the
 * versions finds all stretches, and an empty one means that there is no such register. This misses
 * nothing, and refuses nothing that can have been: within a stretch a later moment of one version
 * leaves more room to the next.
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
  private static final class Stretch {
    private final String version;
    private long from = Long.MIN_VALUE;
    private long until = Long.MAX_VALUE;
    private @Nullable Call fromWhom;
    private @Nullable Call untilWhom;

    Stretch(String version) {
      this.version = version;
    }

    void notBefore(long moment, @Nullable Call whom) {
      if (moment > from) {
        from = moment;
        fromWhom = whom;
      }
    }

    void notAfter(long moment, @Nullable Call whom) {
      if (moment < until) {
        until = moment;
        untilWhom = whom;
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
    List<Stretch> stretches = new ArrayList<>();
    List<List<Call>> conflicts = new ArrayList<>();
    for (long version : versions) {
      places.put(version, stretches.size());
      stretches.add(stretch(version));
      conflicts.add(new ArrayList<>());
    }
    stretches.add(stretchAfter(versions.get(versions.size() - 1)));
    for (Call call : calls) {
      if (call.outcome() == Outcome.READ) {
        int place = places.getOrDefault(call.version(), 0);
        stretches.get(place).notAfter(call.end(), call);
        stretches.get(place + 1).notBefore(call.begin(), call);
      } else if (call.outcome() == Outcome.CONFLICT && places.containsKey(call.expected())) {
        conflicts.get(places.getOrDefault(call.expected(), 0)).add(call);
      }
    }
    for (int i = 0; i < versions.size(); i++) {
      sweep(stretches.get(i), conflicts.get(i), stretches.get(i + 1));
    }
  }

  /** Returns the stretch of a version, from its own write. */
  private Stretch stretch(long version) {
    Stretch stretch = new Stretch("version " + version);
    if (version == 0) {
      stretch.until = Long.MIN_VALUE;
    } else {
      Call write = writeOf(version);
      stretch.notBefore(write.begin(), write);
      if (write.outcome() == Outcome.APPLIED) {
        stretch.notAfter(write.end(), write);
      }
    }
    return stretch;
  }

  /** Returns the interval of a write of unknown outcome after the last version that was read. */
  private Stretch stretchAfter(long last) {
    Stretch stretch = new Stretch("whatever followed version " + last);
    calls.stream()
        .filter(call -> call.outcome() == Outcome.UNKNOWN && call.expected() == last)
        .filter(call -> !values.containsValue(call.value()))
        .min(Comparator.comparingLong(Call::begin))
        .ifPresentOrElse(
            write -> stretch.notBefore(write.begin(), write),
            () -> stretch.notBefore(Long.MAX_VALUE, null));
    return stretch;
  }

  private void sweep(Stretch before, List<Call> conflicts, Stretch next) {
    for (Call conflict : conflicts) {
      if (conflict.begin() > before.until) {
        next.notAfter(conflict.end(), conflict);
      }
    }
    next.notBefore(before.from, before.fromWhom);
    if (next.from > next.until) {
      throw refused(
          next.version
              + " has no moment"
              + (next.fromWhom == null ? "" : ", not before the start of " + next.fromWhom)
              + ", not after the end of",
          next.untilWhom);
    }
  }

  private Call writeOf(long version) {
    return Objects.requireNonNull(writes.get(values.get(version)));
  }

  private AssertionError refused(String what, @Nullable Call whom) {
    return refused(what + " " + whom);
  }

  private AssertionError refused(String what) {
    return new AssertionError("register " + name + ": " + what);
  }
}
