package io.firn.wide;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RandomUuidsTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH, 42);

  @Test
  void areOfVersion4() {
    assertThat(Requests.take(Uuids.v4(time), 5_000))
        .allSatisfy(
            uuid -> {
              assertThat(uuid.version()).isEqualTo(4);
              assertThat(uuid.variant()).isEqualTo(2);
            })
        .doesNotHaveDuplicates();
  }

  @Test
  void haveOnesAndZerosInEveryOtherBit() {
    int[] ones = new int[128];
    for (UUID uuid : Requests.take(Uuids.v4(time), 10_000)) {
      for (int bit = 0; bit < 64; bit++) {
        ones[bit] += (int) (uuid.getMostSignificantBits() >>> (63 - bit) & 1);
        ones[64 + bit] += (int) (uuid.getLeastSignificantBits() >>> (63 - bit) & 1);
      }
    }
    for (int bit = 0; bit < 128; bit++) {
      boolean isFixed = (bit >= 48 && bit < 52) || bit == 64 || bit == 65;
      assertThat(ones[bit])
          .as("bit %d", bit)
          .isBetween(isFixed ? 0 : 4_700, isFixed ? 10_000 : 5_300);
    }
  }

  @Test
  void differBetweenThreadsAndGenerators() throws Exception {
    Set<UUID> all = new HashSet<>();
    for (List<UUID> issued : Requests.issue(Uuids.v4(), 50_000)) {
      all.addAll(issued);
    }
    all.addAll(Requests.take(Uuids.v4(io.firn.time.TimeSource.system()), 50_000));
    assertThat(all).hasSize(250_000);
  }

  @Test
  void followFromTheTimeSource() {
    List<UUID> once = Requests.take(Uuids.v4(new ManualTimeSource(Instant.EPOCH, 7)), 3_000);
    assertThat(Requests.take(Uuids.v4(new ManualTimeSource(Instant.EPOCH, 7)), 3_000))
        .isEqualTo(once);
    assertThat(Requests.take(Uuids.v4(new ManualTimeSource(Instant.EPOCH, 8)), 3_000))
        .doesNotContainAnyElementsOf(once);
  }
}
