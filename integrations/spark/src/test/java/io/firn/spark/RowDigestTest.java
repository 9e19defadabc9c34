package io.firn.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RowDigestTest {

  private static final long LARGEST = (1L << 61) - 1;

  private static RowDigest digest(long... hashes) {
    long hash = 0;
    long power = 1;
    for (long each : hashes) {
      hash = RowDigest.append(hash, each);
      power = RowDigest.raise(power);
    }
    return new RowDigest(hashes.length, hash, power);
  }

  @Test
  void doesNotDependOnWherePartitionsBegin() {
    long[] hashes = LongStream.range(0, 50).map(i -> i * i * 0x9E37_79B9_7F4AL & LARGEST).toArray();
    RowDigest whole = digest(hashes);
    for (int cut = 0; cut <= hashes.length; cut++) {
      RowDigest first = digest(LongStream.of(hashes).limit(cut).toArray());
      RowDigest rest = digest(LongStream.of(hashes).skip(cut).toArray());
      assertThat(first.then(rest)).isEqualTo(whole);
      assertThat(first.then(RowDigest.NONE)).isEqualTo(first);
      assertThat(RowDigest.NONE.then(first)).isEqualTo(first);
    }
  }

  @Test
  void dependsOnTheOrderAndOnEveryRow() {
    assertThat(digest(1, 2, 3).hash()).isNotEqualTo(digest(1, 3, 2).hash());
    assertThat(digest(1, 2, 3).hash()).isNotEqualTo(digest(1, 2, 4).hash());
    assertThat(digest(0, 0).hash()).isNotEqualTo(digest(0, 0, 0).hash());
    assertThat(digest(LARGEST - 1, 0).hash()).isNotEqualTo(digest(0, LARGEST - 1).hash());
  }

  @Test
  void staysBelowThePrime() {
    long hash = 0;
    for (int i = 0; i < 1000; i++) {
      hash = RowDigest.append(hash, LARGEST);
      assertThat(hash).isBetween(0L, LARGEST - 1);
    }
  }

  @Test
  void theShapeSaysHowManyRows() {
    assertThat(digest(1, 2, 3).shape()).startsWith("3-rows:");
  }
}
