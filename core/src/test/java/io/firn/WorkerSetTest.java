package io.firn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class WorkerSetTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "7 | 7 | 1",
        "0-31 | 0-31 | 32",
        "40,0-31 | 0-31,40 | 33",
        "0-31,32 | 0-32 | 33",
        "0-31,30-40,5 | 0-40 | 41",
        "3,1,2 | 1-3 | 3",
      })
  void readsRangesAndMergesThem(String text, String merged, long size) {
    WorkerSet workers = WorkerSet.of(text);
    assertThat(workers).hasToString(merged).isEqualTo(WorkerSet.of(merged));
    assertThat(workers.size()).isEqualTo(size);
    assertThat(workers.stream().count()).isEqualTo(size);
    assertThat(workers.stream()).allMatch(workers::contains);
    assertThat(workers).hasSameHashCodeAs(WorkerSet.of(workers.stream()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "-1", "31-0", "0-", "0--1", "a", "1, 2", "1,,2", "9999999999999999999"})
  void refusesWhatIsNoRange(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerSet.of(text))
        .withMessageStartingWith("workers: ")
        .withMessageContaining("(expected: ");
  }

  @Test
  void refusesTooManyRanges() {
    assertThat(WorkerSet.of("1" + ",1".repeat(4_095))).hasToString("1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerSet.of("1" + ",1".repeat(4_096)))
        .withMessageContaining("at most 4096");
  }

  @Test
  void readsBackTheLargestWorkerId() {
    WorkerSet all = WorkerSet.of(List.of(new WorkerSet.Range(0, (1L << 62) - 1)));
    assertThat(all.size()).isEqualTo(1L << 62);
    assertThat(WorkerSet.of(all.toString())).isEqualTo(all);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new WorkerSet.Range(0, 1L << 62))
        .withMessage("workers: 0-4611686018427387904 (expected: a range such as 0-31)");
  }

  @Test
  void refusesDatacentersThatALayoutDoesNotHave() {
    assertThat(IdLayout.REGION.workersOf(WorkerSet.of("0,7"))).hasToString("0-127,896-1023");
    assertThat(IdLayout.CLASSIC.workersOf(WorkerSet.of("0"))).hasToString("0-1023");
    for (String wrong : List.of("8", "0-9", "144115188075855872")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> IdLayout.REGION.workersOf(WorkerSet.of(wrong)))
          .withMessage(
              "datacenters: "
                  + wrong
                  + " (expected: within 0-7, the layout is "
                  + IdLayout.REGION
                  + ")");
    }
  }

  @Test
  void refusesWorkersThatALayoutDoesNotHave() {
    WorkerSet all = WorkerSet.of("0-1023");
    assertThat(all.within(IdLayout.CLASSIC)).isSameAs(all);
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerSet.of("5,1024").within(IdLayout.CLASSIC))
        .withMessage(
            "workers: 5,1024 (expected: within 0-1023, the layout is " + IdLayout.CLASSIC + ")");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> WorkerSet.of(LongStream.empty()).within(IdLayout.CLASSIC))
        .withMessageStartingWith("workers: none (expected: within 0-1023");
  }
}
