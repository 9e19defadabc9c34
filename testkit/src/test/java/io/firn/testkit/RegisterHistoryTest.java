package io.firn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.testkit.RegisterHistory.Call;
import io.firn.testkit.RegisterHistory.Outcome;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class RegisterHistoryTest {

  private static Call read(long begin, long end, long version, String value) {
    return new Call(Outcome.READ, begin, end, 0, version, value);
  }

  private static Call applied(long begin, long end, long expected, long version, String value) {
    return new Call(Outcome.APPLIED, begin, end, expected, version, value);
  }

  private static Call write(Outcome outcome, long begin, long end, long expected, String value) {
    return new Call(outcome, begin, end, expected, 0, value);
  }

  private static Call conflict(long begin, long end, long expected, String value) {
    return write(Outcome.CONFLICT, begin, end, expected, value);
  }

  private static Call unknown(long begin, long end, long expected, String value) {
    return write(Outcome.UNKNOWN, begin, end, expected, value);
  }

  private static void accepts(Call... calls) {
    RegisterHistory.check("r", List.of(calls));
  }

  private static void refuses(String why, Call... calls) {
    assertThatThrownBy(() -> accepts(calls))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("register r: " + why);
  }

  private static final Call ONE = applied(10, 20, 0, 5, "one");
  private static final Call TWO = applied(30, 40, 5, 9, "two");

  @Test
  void acceptsWhatOneRegisterDoes() {
    accepts();
    accepts(read(1, 2, 0, ""), ONE, read(21, 22, 5, "one"), TWO, read(41, 42, 9, "two"));
    accepts(conflict(1, 2, 7, "x"), ONE, conflict(21, 22, 0, "y"), TWO, conflict(41, 42, 5, "z"));
  }

  @Test
  void readBesideAWriteSeesTheOldOrTheNew() {
    accepts(ONE, TWO, read(30, 31, 5, "one"), read(31, 41, 5, "one"), read(39, 40, 9, "two"));
    accepts(ONE, TWO, read(35, 45, 5, "one"), read(40, 50, 9, "two"), read(20, 30, 5, "one"));
  }

  @Test
  void refusesAStaleRead() {
    refuses("version 9 has no moment", ONE, TWO, read(41, 42, 5, "one"));
    refuses("version 5 has no moment", ONE, read(21, 22, 0, ""));
  }

  @Test
  void refusesAReadThatGoesBack() {
    accepts(ONE, TWO, read(31, 32, 5, "one"), read(33, 34, 9, "two"));
    refuses("version 9 has no moment", ONE, TWO, read(31, 32, 9, "two"), read(33, 34, 5, "one"));
  }

  @Test
  void refusesAReadOfWhatComesLater() {
    refuses("version 9 has no moment", ONE, TWO, read(22, 29, 9, "two"));
  }

  @Test
  void refusesALostWrite() {
    refuses(
        "applied after version 9 Call[outcome=APPLIED, begin=50, end=60, expected=5",
        ONE,
        TWO,
        applied(50, 60, 5, 11, "three"));
    refuses("applied after version 0", applied(50, 60, 5, 11, "three"));
  }

  @Test
  void refusesTwoWinners() {
    refuses("version 5 has two values: one", ONE, applied(10, 20, 0, 5, "other"));
    refuses("applied after version 5", ONE, applied(10, 20, 0, 6, "other"));
  }

  @Test
  void refusesVersionsAgainstTheOrderOfTheWrites() {
    refuses("version 9 has no moment", applied(30, 40, 0, 5, "one"), applied(10, 20, 5, 9, "two"));
  }

  @Test
  void refusesAWriteThatWasAppliedTwice() {
    refuses(
        "applied twice, in the versions 5 and 6",
        unknown(10, 20, 0, "one"),
        read(21, 22, 5, "one"),
        read(23, 24, 6, "one"));
  }

  @Test
  void refusesAValueThatWasNotWritten() {
    refuses("version 5 has a value that was not written: one", read(1, 2, 5, "one"));
  }

  @Test
  void refusesAnUnjustifiedConflict() {
    refuses("whatever followed version 5 has no moment", ONE, conflict(21, 22, 5, "x"));
    refuses("version 9 has no moment", ONE, TWO, conflict(21, 29, 5, "x"));
    refuses("version 5 has no moment", ONE, conflict(1, 9, 0, "x"));
  }

  @Test
  void conflictIsJustifiedByAnyOtherVersionInItsTime() {
    accepts(ONE, TWO, conflict(29, 31, 5, "x"));
    accepts(ONE, TWO, conflict(11, 19, 5, "x"));
    accepts(ONE, TWO, conflict(9, 11, 0, "x"));
    accepts(ONE, TWO, conflict(41, 42, 77, "x"));
  }

  /** Each of the two conflicts has a justification, but not both at once. */
  @Test
  void refusesConflictsThatContradictEachOther() {
    Call expectsNone = conflict(11, 12, 0, "x");
    Call expectsOne = conflict(13, 14, 5, "y");
    accepts(ONE, expectsNone);
    accepts(ONE, expectsOne);
    refuses("whatever followed version 5 has no moment", ONE, expectsNone, expectsOne);
  }

  @Test
  void conflictOfAWriteThatWasAppliedIsRefused() {
    refuses(
        "applied in version 5, against its outcome",
        conflict(10, 20, 0, "one"),
        read(21, 22, 5, "one"));
    refuses(
        "applied in version 5, against its outcome",
        write(Outcome.REFUSED, 10, 20, 0, "one"),
        read(21, 22, 5, "one"));
  }

  @Test
  void unknownWriteMayHaveBeenAppliedOrNotOrLater() {
    Call lost = unknown(10, 20, 0, "one");
    accepts(lost);
    accepts(lost, read(30, 40, 0, ""));
    accepts(lost, read(30, 40, 5, "one"));
    accepts(lost, read(30, 40, 0, ""), read(50, 60, 5, "one"), applied(70, 80, 5, 6, "two"));
    accepts(lost, conflict(30, 40, 0, "x"));
    accepts(lost, applied(30, 40, 0, 5, "two"));
    accepts(ONE, unknown(30, 40, 5, "lost"), conflict(41, 42, 5, "x"));
  }

  @Test
  void unknownWriteWasNotAppliedBeforeItBegan() {
    Call lost = unknown(10, 20, 0, "one");
    refuses("version 5 has no moment", lost, read(1, 9, 5, "one"));
    refuses("whatever followed version 0 has no moment", lost, conflict(1, 9, 0, "x"));
    refuses("whatever followed version 0 has no moment", conflict(30, 40, 0, "x"));
    refuses(
        "whatever followed version 5 has no moment",
        ONE,
        unknown(30, 40, 5, "lost"),
        conflict(21, 29, 5, "x"));
    refuses(
        "whatever followed version 5 has no moment",
        ONE,
        unknown(30, 40, 5, "lost"),
        conflict(41, 42, 5, "x"),
        read(43, 44, 5, "one"));
  }

  @Test
  void forgetfulRegisterMayGoBackButNotRepeatAVersion() {
    RegisterHistory.checkForgetful("r", List.of(ONE, TWO, read(41, 42, 0, "")));
    assertThatThrownBy(
            () ->
                RegisterHistory.checkForgetful(
                    "r", List.of(ONE, TWO, read(41, 42, 0, ""), applied(50, 60, 0, 9, "x"))))
        .isInstanceOf(AssertionError.class)
        .hasMessageStartingWith("register r: version 9 has two values: two");
  }

  @Test
  void eachWriteHasItsOwnValue() {
    assertThatThrownBy(() -> accepts(ONE, applied(30, 40, 5, 9, "one")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("value: one (expected: each is written once)");
  }

  /**
   * Small histories with any times and outcomes: the verdict is that of a search through every
   * order of the calls.
   */
  @Test
  void judgesAsASearchThroughAllOrdersDoes() {
    int[] verdicts = new int[2];
    Trials.check(
        "small histories",
        20_000,
        RegisterHistoryTest::smallHistory,
        calls -> {
          boolean possible = Search.finds(calls);
          verdicts[possible ? 1 : 0]++;
          if (possible) {
            assertThatCode(() -> RegisterHistory.check("r", calls)).doesNotThrowAnyException();
          } else {
            assertThatThrownBy(() -> RegisterHistory.check("r", calls))
                .isInstanceOf(AssertionError.class);
          }
        });
    assertThat(Arrays.stream(verdicts).min().orElseThrow()).isGreaterThan(1_000);
  }

  /** Of one register that some threads use, with times and outcomes that need not be true. */
  private static List<Call> smallHistory(RandomGenerator random) {
    List<Call> calls = new ArrayList<>();
    List<Long> versions = new ArrayList<>(List.of(0L));
    int count = random.nextInt(2, 7);
    for (int i = 0; i < count; i++) {
      long begin = random.nextInt(12) * 2L;
      long end = begin + 1 + random.nextInt(6) * 2L;
      long last = versions.get(versions.size() - 1);
      long some = versions.get(random.nextInt(versions.size()));
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          calls.add(applied(begin + 2 * last, end + 2 * last, last, last + 1, "v" + (last + 1)));
          versions.add(last + 1);
        }
        case 2 -> calls.add(read(begin, end, some, some == 0 ? "" : "v" + some));
        case 3 -> calls.add(conflict(begin, end, some, "c" + i));
        default -> {
          boolean seen = random.nextBoolean();
          calls.add(unknown(begin, end, last, seen ? "v" + (last + 1) : "u" + i));
          if (seen) {
            versions.add(last + 1);
            calls.add(read(begin + 2, end + 8, last + 1, "v" + (last + 1)));
          }
        }
      }
    }
    return calls;
  }

  /**
   * Puts the calls in every order that their times allow, one after the other, against a register:
   * the definition of linearizability, too slow for more than a few calls.
   */
  private static final class Search {

    private final List<Call> calls;
    private final boolean[] done;

    private Search(List<Call> calls) {
      this.calls = calls;
      done = new boolean[calls.size()];
    }

    static boolean finds(List<Call> calls) {
      return new Search(calls).from("", 0);
    }

    /** Returns whether the rest can follow on a register with that value and version. */
    private boolean from(String value, long version) {
      boolean all = true;
      for (int i = 0; i < done.length; i++) {
        if (!done[i] && mayBeNext(calls.get(i))) {
          done[i] = true;
          boolean found = after(calls.get(i), value, version);
          done[i] = false;
          if (found) {
            return true;
          }
        }
        all &= done[i] || calls.get(i).outcome() == Outcome.UNKNOWN;
      }
      return all;
    }

    /** One must come before another that begins after its end. */
    private boolean mayBeNext(Call call) {
      for (int i = 0; i < done.length; i++) {
        Call other = calls.get(i);
        if (!done[i] && other.outcome() != Outcome.UNKNOWN && other.end() < call.begin()) {
          return false;
        }
      }
      return true;
    }

    private boolean after(Call call, String value, long version) {
      return switch (call.outcome()) {
        case READ ->
            call.version() == version && call.value().equals(value) && from(value, version);
        case APPLIED -> call.expected() == version && from(call.value(), call.version());
        case CONFLICT -> call.expected() != version && from(value, version);
        case UNKNOWN ->
            call.expected() == version && from(call.value(), versionOf(call.value(), version));
        case REFUSED -> from(value, version);
      };
    }

    /** The version of a value: what some read saw, or else one that nobody knows. */
    private long versionOf(String value, long before) {
      return calls.stream()
          .filter(call -> call.outcome() == Outcome.READ && call.value().equals(value))
          .mapToLong(Call::version)
          .findFirst()
          .orElse(value.startsWith("v") ? before + 1 : -1);
    }
  }
}
