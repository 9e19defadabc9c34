package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WorkerChoiceTest {

  @Test
  void aLeaseIsPinnedToNothing() {
    assertThat(WorkerChoice.pinned(settings("lease", 5), name -> null)).isEmpty();
  }

  @Test
  void aNumberIsTheWorkerItself() {
    assertThat(WorkerChoice.pinned(settings("0", 0), name -> null)).hasValue(0);
    assertThat(WorkerChoice.pinned(settings("17", 0), name -> null)).hasValue(17);
  }

  @Test
  void theIndexOfThePodComesBeforeItsName() {
    assertThat(ordinal(Map.of("POD_INDEX", "3", "POD_NAME", "shop-4"))).isEqualTo(103);
    assertThat(ordinal(Map.of("POD_NAME", "shop-4", "HOSTNAME", "shop-5"))).isEqualTo(104);
    assertThat(ordinal(Map.of("HOSTNAME", "shop-eu-12"))).isEqualTo(112);
    assertThat(ordinal(Map.of("POD_INDEX", "", "HOSTNAME", "shop-0"))).isEqualTo(100);
  }

  @Test
  void noOrdinalIsGuessed() {
    assertThatThrownBy(() -> ordinal(Map.of("HOSTNAME", "shop-7d9f8b6c5d-x2x4z")))
        .hasMessage(
            "firn.worker: ordinal (expected: a number in POD_INDEX, or at the end of POD_NAME or"
                + " HOSTNAME, as a StatefulSet's pods have; HOSTNAME is shop-7d9f8b6c5d-x2x4z)");
    assertThatThrownBy(() -> ordinal(Map.of("HOSTNAME", "shop7")))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> ordinal(Map.of("POD_INDEX", "-1")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    for (String worker : new String[] {"random", "-1", "1234567890", ""}) {
      assertThatThrownBy(() -> WorkerChoice.pinned(settings(worker, 0), name -> null))
          .hasMessage("firn.worker: " + worker + " (expected: lease, ordinal or a number)");
    }
  }

  private static long ordinal(Map<String, String> environment) {
    return WorkerChoice.pinned(settings("ordinal", 100), environment::get).orElseThrow();
  }

  private static FirnProperties settings(String worker, long offset) {
    return new FirnProperties(
        null, worker, offset, null, Duration.ZERO, Duration.ZERO, Duration.ZERO, true, Map.of());
  }
}
