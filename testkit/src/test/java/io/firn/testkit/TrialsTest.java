package io.firn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TrialsTest {

  @AfterEach
  void forgetTheSeed() {
    System.clearProperty(Trials.SEED_PROPERTY);
  }

  @Test
  void checksAsManyInputsAsAskedFor() {
    List<Long> inputs = new ArrayList<>();
    Trials.check("any", 1_000, RandomGenerator::nextLong, inputs::add);
    assertThat(new HashSet<>(inputs)).hasSize(1_000);
  }

  @Test
  void triesOtherInputsAtEveryRun() {
    List<Long> inputs = new ArrayList<>();
    Trials.check("any", 10, RandomGenerator::nextLong, inputs::add);
    Trials.check("any", 10, RandomGenerator::nextLong, inputs::add);
    assertThat(new HashSet<>(inputs)).hasSize(20);
  }

  @Test
  void repeatsTheInputsOfASeed() {
    List<Long> inputs = new ArrayList<>();
    System.setProperty(Trials.SEED_PROPERTY, "42");
    Trials.check("any", 10, RandomGenerator::nextLong, inputs::add);
    Trials.check("any", 10, RandomGenerator::nextLong, inputs::add);
    assertThat(inputs.subList(0, 10)).isEqualTo(inputs.subList(10, 20));
    assertThat(new HashSet<>(inputs)).hasSize(10);
  }

  @Test
  void namesTheSeedAndTheInputOfAFailure() {
    System.setProperty(Trials.SEED_PROPERTY, "42");
    AssertionError failure = failureOf(3);
    long seed = 42 + 2 * 0xd1342543de82ef95L;
    assertThat(failure.getMessage())
        .matches(
            "small: trial 3 of 10 failed on \\d+ \\(again: -Dfirn\\.trials\\.seed="
                + seed
                + "\\): no 3");
    assertThat(failure).hasRootCauseMessage("no 3");
  }

  @Test
  void startsAgainWithTheInputThatFailed() {
    List<Integer> tried = new ArrayList<>();
    AssertionError failure =
        catchThrowableOfType(
            AssertionError.class,
            () ->
                Trials.check(
                    "even",
                    1_000,
                    random -> random.nextInt(1 << 20),
                    input -> {
                      tried.add(input);
                      assertThat(input % 64).isNotZero();
                    }));
    String message = failure.getMessage();
    String seed = message.replaceAll("(?s).*seed=(-?\\d+)\\).*", "$1");
    System.setProperty(Trials.SEED_PROPERTY, seed);
    List<Integer> again = new ArrayList<>();
    Trials.check("even", 1, random -> random.nextInt(1 << 20), again::add);
    assertThat(again).containsExactly(tried.get(tried.size() - 1));
  }

  @Test
  void refusesToTryNothing() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Trials.check("any", 0, RandomGenerator::nextLong, input -> {}))
        .withMessage("count: 0 (expected: at least 1)");
  }

  private static AssertionError failureOf(int trial) {
    int[] count = {0};
    return catchThrowableOfType(
        AssertionError.class,
        () ->
            Trials.check(
                "small",
                10,
                random -> random.nextInt(1_000),
                input -> {
                  if (++count[0] == trial) {
                    throw new IllegalStateException("no " + trial);
                  }
                }));
  }
}
