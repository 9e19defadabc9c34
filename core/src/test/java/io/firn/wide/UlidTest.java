package io.firn.wide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.FirnException;
import io.firn.Serialized;
import io.firn.testkit.Trials;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UlidTest {

  private static final Ulid MAX = new Ulid(-1, -1);

  static Ulid any(RandomGenerator random) {
    return new Ulid(random.nextLong(), random.nextLong() >> random.nextInt(64));
  }

  private static void refuses(String text, String expected) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Ulid.parse(text))
        .withMessage("ulid: " + text + " (expected: " + expected + ")");
  }

  @Test
  void readsTheExampleOfTheSpecification() {
    Ulid ulid = Ulid.parse("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    assertThat(ulid.instant()).isEqualTo(Instant.ofEpochMilli(1469922850259L));
    assertThat(ulid).hasToString("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  }

  @ParameterizedTest
  @CsvSource({
    "01BX5ZZKBKACTAV9WEVGEMMVRZ, 01BX5ZZKBKACTAV9WEVGEMMVS0",
    "01BX5ZZKBKZZZZZZZZZZZZZZZX, 01BX5ZZKBKZZZZZZZZZZZZZZZY",
    "01BX5ZZKBK000FZZZZZZZZZZZZ, 01BX5ZZKBK000G000000000000",
    "01BX5ZZKBKZZZFZZZZZZZZZZZZ, 01BX5ZZKBKZZZG000000000000",
    "7ZZZZZZZZZZZZZZZZZZZZZZZZY, 7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
  })
  void hasASuccessorInItsMillisecond(String text, String successor) {
    assertThat(Ulid.parse(text).successor()).isEqualTo(Ulid.parse(successor));
  }

  @ParameterizedTest
  @CsvSource({"01BX5ZZKBKZZZZZZZZZZZZZZZZ", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"})
  void hasNoSuccessorAfterTheLastRandomPart(String text) {
    assertThatExceptionOfType(FirnException.class)
        .isThrownBy(() -> Ulid.parse(text).successor())
        .withMessage(
            "ULID "
                + text
                + " is the last one of its millisecond; repeat the call in the next one");
  }

  @Test
  void writesItsEnds() {
    assertThat(new Ulid(0, 0)).hasToString("00000000000000000000000000");
    assertThat(MAX).hasToString("7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
    assertThat(MAX.instant()).isEqualTo("+10889-08-02T05:31:50.655Z");
    assertThat(new Ulid(1, 0)).hasToString("0000000000000G000000000000");
    assertThat(new Ulid(0, -1)).hasToString("0000000000000FZZZZZZZZZZZZ");
  }

  @Test
  void readsLowerCaseAndCrockfordsAlternatives() {
    Ulid ulid = Ulid.parse("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    assertThat(Ulid.parse("01arz3ndektsv4rrffq69g5fav")).isEqualTo(ulid);
    assertThat(Ulid.parse("oIARZ3NDEKTSV4RRFFQ69G5FAV")).isEqualTo(ulid);
    assertThat(Ulid.parse("OlARZ3NDEKTSV4RRFFQ69G5FAV")).isEqualTo(ulid);
  }

  @Test
  void refusesWhatIsNoUlidAndSaysWhere() {
    refuses("", "26 characters");
    refuses("01ARZ3NDEKTSV4RRFFQ69G5FA", "26 characters");
    refuses("01ARZ3NDEKTSV4RRFFQ69G5FAV0", "26 characters");
    refuses("01ARZ3NDEKTSV4RRFFQ69G5FAU", "a digit of base 32 at position 26");
    refuses("U1ARZ3NDEKTSV4RRFFQ69G5FAV", "a digit of base 32 at position 1");
    refuses("01ARZ3NDEK-SV4RRFFQ69G5FAV", "a digit of base 32 at position 11");
    refuses("80000000000000000000000000", "a first digit of at most 7, 128 bits");
    refuses("ZZZZZZZZZZZZZZZZZZZZZZZZZZ", "a first digit of at most 7, 128 bits");
  }

  @Test
  void readsBackWhatItWrites() {
    Trials.check(
        "round trip of ULIDs",
        10_000,
        UlidTest::any,
        ulid -> {
          assertThat(Ulid.parse(ulid.toString())).isEqualTo(ulid);
          assertThat(Ulid.parse(ulid.toString().toLowerCase(Locale.ROOT))).isEqualTo(ulid);
          assertThat(Ulid.of(ulid.toBytes())).isEqualTo(ulid);
          assertThat(Ulid.of(ulid.toUuid())).isEqualTo(ulid);
          assertThat(ulid.toUuid()).isEqualTo(new UUID(ulid.high(), ulid.low()));
        });
  }

  @Test
  void comparesAsItsBytesAndItsTextsDo() {
    record Pair(Ulid one, Ulid other) {}
    Trials.check(
        "order of ULIDs",
        10_000,
        random -> {
          Ulid one = any(random);
          return new Pair(one, random.nextBoolean() ? any(random) : new Ulid(one.high(), 5));
        },
        pair -> {
          int order = Integer.signum(pair.one.compareTo(pair.other));
          assertThat(Integer.signum(pair.one.toString().compareTo(pair.other.toString())))
              .isEqualTo(order);
          assertThat(
                  Integer.signum(Arrays.compareUnsigned(pair.one.toBytes(), pair.other.toBytes())))
              .isEqualTo(order);
        });
  }

  @Test
  void readsNoTextThatItWouldNotWrite() {
    Trials.check(
        "any text as ULID",
        20_000,
        random -> Garbled.text(Ulid.parse(any(random).toString()).toString(), random),
        text -> {
          try {
            String canonical =
                text.toUpperCase(Locale.ROOT).replace('O', '0').replace('I', '1').replace('L', '1');
            assertThat(Ulid.parse(text)).hasToString(canonical);
          } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("ulid: " + text + " (expected: ");
          }
        });
  }

  @Test
  void refusesBytesOfAnotherLength() {
    for (int length : new int[] {0, 15, 17}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Ulid.of(new byte[length]))
          .withMessage("ulid: " + length + " bytes (expected: 16)");
    }
  }

  @Test
  void isSerializable() throws Exception {
    Ulid ulid = Ulid.parse("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    assertThat(Serialized.copyOf(ulid)).isEqualTo(ulid);
    assertThat(Serialized.copyOf(MAX)).isEqualTo(MAX);
  }
}
