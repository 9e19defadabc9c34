package io.firn.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.testkit.Trials;
import java.util.HexFormat;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScrambleTest {

  private static final byte[] KEY = HexFormat.of().parseHex("0001020308090a0b1011121318191a1b");
  private static final Scramble SCRAMBLE = Scramble.withKey(KEY);

  /** Beaulieu et al., appendix C. */
  @Test
  void isTheCipherThatItSaysItIs() {
    assertThat(SCRAMBLE.encrypt(0x3b7265747475432dL)).isEqualTo(0x8c6fa548454e028bL);
    assertThat(SCRAMBLE.decrypt(0x8c6fa548454e028bL)).isEqualTo(0x3b7265747475432dL);
  }

  @Test
  void bringsEveryIdBackAndNeverMakesANegativeOne() {
    Trials.check(
        "scramble and restore",
        20_000,
        random -> random.nextLong() >>> 1 >>> random.nextInt(63),
        id -> {
          long scrambled = SCRAMBLE.scramble(id);
          assertThat(scrambled).isNotNegative();
          assertThat(SCRAMBLE.restore(scrambled)).isEqualTo(id);
          assertThat(SCRAMBLE.scramble(SCRAMBLE.restore(id))).isEqualTo(id);
        });
  }

  @Test
  void separatesNeighbours() {
    long[] scrambled = LongStream.range(0, 10_000).map(SCRAMBLE::scramble).toArray();
    long flipped = 0;
    for (int i = 1; i < scrambled.length; i++) {
      flipped += Long.bitCount(scrambled[i - 1] ^ scrambled[i]);
    }
    assertThat(flipped / 9_999.0).isBetween(31.3, 31.7);
  }

  @Test
  void dependsOnTheKey() {
    byte[] other = KEY.clone();
    other[15] ^= 1;
    assertThat(Scramble.withKey(other).scramble(1)).isNotEqualTo(SCRAMBLE.scramble(1));
  }

  @Test
  void keepsTheKeyItWasMadeWith() {
    byte[] key = KEY.clone();
    Scramble scramble = Scramble.withKey(key);
    key[0] ^= 1;
    assertThat(scramble.scramble(1)).isEqualTo(SCRAMBLE.scramble(1));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 15, 17})
  void refusesAKeyOfAnotherLength(int length) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Scramble.withKey(new byte[length]))
        .withMessage("key: " + length + " bytes (expected: 16)");
  }

  @Test
  void refusesNegativeNumbers() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SCRAMBLE.scramble(-1))
        .withMessage("id: -1 (expected: 0..9223372036854775807)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SCRAMBLE.restore(-1))
        .withMessage("scrambled: -1 (expected: 0..9223372036854775807)");
    assertThat(SCRAMBLE.restore(SCRAMBLE.scramble(Long.MAX_VALUE))).isEqualTo(Long.MAX_VALUE);
    assertThat(SCRAMBLE.restore(SCRAMBLE.scramble(0))).isZero();
  }

  @Test
  void doesNotShowItsKey() {
    assertThat(SCRAMBLE).hasToString("Scramble[Speck64/128]");
  }
}
