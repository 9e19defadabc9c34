package io.firn.wide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.testkit.Trials;
import java.time.Instant;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UuidsTest {

  private static UUID any(RandomGenerator random) {
    return new UUID(random.nextLong(), random.nextLong());
  }

  private static void refuses(String text, String expected) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Uuids.parse(text))
        .withMessage("uuid: " + text + " (expected: " + expected + ")");
  }

  /** RFC 9562, appendix A. */
  @ParameterizedTest
  @CsvSource({
    "C232AB00-9414-11EC-B3C8-9F6BDECED846, 1",
    "1EC9414C-232A-6B00-B3C8-9F6BDECED846, 6",
    "017F22E2-79B0-7CC3-98C4-DC0C0C07398F, 7",
  })
  void readsTheInstantOfTheVersionsThatHaveOne(String text, int version) {
    UUID uuid = Uuids.parse(text);
    assertThat(uuid.version()).isEqualTo(version);
    assertThat(Uuids.instant(uuid)).contains(Instant.parse("2022-02-22T19:22:22Z"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "919108f7-52d1-4320-9bac-f847db4148a8",
        "5df41881-3aed-3515-88a7-2f4a814cf09e",
        "2ed6657d-e927-568b-95e1-2665a8aea6a2",
        "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0",
        "00000000-0000-0000-0000-000000000000",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        "017F22E2-79B0-7CC3-18C4-DC0C0C07398F",
        "017F22E2-79B0-7CC3-D8C4-DC0C0C07398F",
      })
  void readsNoInstantFromOthers(String text) {
    assertThat(Uuids.instant(Uuids.parse(text))).isEmpty();
  }

  @Test
  void readsInstantsToAHundredNanoseconds() {
    assertThat(Uuids.instant(Uuids.parse("c232ab01-9414-11ec-b3c8-9f6bdeced846")))
        .contains(Instant.parse("2022-02-22T19:22:22.000000100Z"));
    assertThat(Uuids.instant(Uuids.parse("00000000-0000-1000-8000-000000000000")))
        .contains(Instant.parse("1582-10-15T00:00:00Z"));
    assertThat(Uuids.instant(Uuids.parse("ffffffff-ffff-1fff-8000-000000000000")))
        .contains(Instant.parse("5236-03-31T21:21:00.684697500Z"));
    assertThat(Uuids.instant(Uuids.parse("ffffffff-ffff-6fff-8000-000000000000")))
        .contains(Instant.parse("5236-03-31T21:21:00.684697500Z"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1970-01-01T00:00:00Z",
        "2022-02-22T19:22:22.123Z",
        "+10889-08-02T05:31:50.655Z",
      })
  void aTimeOfTheCallersChoiceStandsInAUuidOfVersion7(String text) {
    Instant time = Instant.parse(text);
    UUID uuid = Uuids.v7At(time);
    assertThat(uuid.version()).isEqualTo(7);
    assertThat(uuid.variant()).isEqualTo(2);
    assertThat(Uuids.instant(uuid)).contains(time);
  }

  @Test
  void uuidsOfOneTimeDifferInEveryOther74Bits() {
    Instant time = Instant.parse("2022-02-22T19:22:22.123999999Z");
    Set<UUID> distinct = new HashSet<>();
    long[] ones = {0, 0};
    long[] zeros = {0, 0};
    for (int i = 0; i < 10_000; i++) {
      UUID uuid = Uuids.v7At(time);
      distinct.add(uuid);
      ones[0] |= uuid.getMostSignificantBits();
      ones[1] |= uuid.getLeastSignificantBits();
      zeros[0] |= ~uuid.getMostSignificantBits();
      zeros[1] |= ~uuid.getLeastSignificantBits();
    }
    assertThat(distinct).hasSize(10_000);
    assertThat(ones[0] & zeros[0]).isEqualTo(0xFFF);
    assertThat(ones[1] & zeros[1]).isEqualTo(~Uuids.VARIANT_MASK);
    assertThat(Uuids.instant(distinct.iterator().next())).contains(time.minusNanos(999_999));
  }

  @Test
  void uuidsOfLaterMillisecondsAreGreater() {
    Instant time = Instant.parse("1999-12-31T23:59:59.999Z");
    UUID before = Uuids.v7At(time);
    UUID after = Uuids.v7At(time.plusMillis(1));
    assertThat(after.toString()).isGreaterThan(before.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"1969-12-31T23:59:59.999999999Z", "+10889-08-02T05:31:50.656Z"})
  void aTimeThatAUuidCannotHoldIsRefused(String time) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Uuids.v7At(Instant.parse(time)))
        .withMessage(
            "time: " + time + " (expected: 1970-01-01T00:00:00Z..+10889-08-02T05:31:50.655Z)");
  }

  @Test
  void refusesWhatIsNoUuidAndSaysWhere() {
    refuses("", "36 characters");
    refuses("1-1-1-1-1", "36 characters");
    refuses("919108f7-52d1-4320-9bac-f847db4148a", "36 characters");
    refuses("919108f7-52d1-4320-9bac-f847db4148a80", "36 characters");
    refuses("919108f7952d1-4320-9bac-f847db4148a8", "a dash at position 9");
    refuses("919108f7-52d1-4320-9bac0f847db4148a8", "a dash at position 24");
    refuses("919108f--52d1-4320-9bac-f847db4148a8", "a digit of base 16 at position 8");
    refuses("919108f7-52d1-4320-9bac-f847db4148ag", "a digit of base 16 at position 36");
    refuses("919108f7-52d1-4320-9bac-f847db4148a٣", "a digit of base 16 at position 36");
  }

  @Test
  void readsBackWhatItWrites() {
    Trials.check(
        "round trip of UUIDs",
        10_000,
        UuidsTest::any,
        uuid -> {
          assertThat(Uuids.parse(uuid.toString())).isEqualTo(uuid);
          assertThat(Uuids.parse(uuid.toString().toUpperCase(Locale.ROOT))).isEqualTo(uuid);
          assertThat(Uuids.of(Uuids.toBytes(uuid))).isEqualTo(uuid);
          assertThat(Uuids.parseBase32(Uuids.toBase32(uuid))).isEqualTo(uuid);
        });
  }

  @Test
  void readsNoTextThatTheJdkReadsOtherwise() {
    Trials.check(
        "any text as UUID",
        20_000,
        random -> Garbled.text(any(random).toString(), random),
        text -> {
          try {
            assertThat(Uuids.parse(text)).hasToString(text.toLowerCase(Locale.ROOT));
          } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("uuid: " + text + " (expected: ");
          }
        });
  }

  @Test
  void refusesBytesOfAnotherLength() {
    for (int length : new int[] {0, 15, 17}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Uuids.of(new byte[length]))
          .withMessage("uuid: " + length + " bytes (expected: 16)");
    }
  }

  /** TypeID's valid.yml. */
  @ParameterizedTest
  @CsvSource({
    "00000000000000000000000000, 00000000-0000-0000-0000-000000000000",
    "0000000000000000000000000g, 00000000-0000-0000-0000-000000000010",
    "7zzzzzzzzzzzzzzzzzzzzzzzzz, ffffffff-ffff-ffff-ffff-ffffffffffff",
    "0123456789abcdefghjkmnpqrs, 0110c853-1d09-52d8-d73e-1194e95b5f19",
    "01h455vb4pex5vsknk084sn02q, 01890a5d-ac96-774b-bcce-b302099a8057",
  })
  void writesBase32AsTypeIdDoes(String text, UUID uuid) {
    assertThat(Uuids.toBase32(uuid)).isEqualTo(text);
    assertThat(Uuids.parseBase32(text)).isEqualTo(uuid);
  }

  @ParameterizedTest
  @CsvSource({
    "01H455VB4PEX5VSKNK084SN02Q, 01h455vb4pex5vsknk084sn02q",
    "o1h455vb4pex5vsknk084sn02q, 01h455vb4pex5vsknk084sn02q",
    "8zzzzzzzzzzzzzzzzzzzzzzzzz, 'a first digit of at most 7, 128 bits'",
    "7zzzzzzzzzzzzzzzzzzzzzzzz, 26 characters",
    "'', 26 characters",
    "u0000000000000000000000000, a digit of base 32 at position 1",
    "0u000000000000000000000000, a digit of base 32 at position 2",
    "0000000000000000000000000u, a digit of base 32 at position 26",
  })
  void refusesBase32ThatTypeIdWouldNotWrite(String text, String expected) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Uuids.parseBase32(text))
        .withMessage("uuid: " + text + " (expected: " + expected + ")");
  }
}
