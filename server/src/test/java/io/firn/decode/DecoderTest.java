package io.firn.decode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.IdLayout;
import io.firn.testkit.Trials;
import io.firn.text.IdFormat;
import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DecoderTest {

  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
  private static final List<IdFormat> FORMATS = List.of(IdFormat.values());
  private static final long DISCORD = 175928847299117063L;

  private static List<Reading> read(String text) {
    return new Decoder(NOW).decode(text);
  }

  private static Reading first(String text) {
    return read(text).get(0);
  }

  private static long number(Reading reading) {
    return ((NumberReading) reading).parts().id();
  }

  /** RFC 9562's examples, and others that their systems published. */
  @ParameterizedTest
  @CsvSource({
    "C232AB00-9414-11EC-B3C8-9F6BDECED846, uuid1, 2022-02-22T19:22:22Z",
    "000003e8-4a6e-21ef-8d00-325096b39f47, uuid2,",
    "5df41881-3aed-3515-88a7-2f4a814cf09e, uuid3,",
    "919108f7-52d1-4320-9bac-f847db4148a8, uuid4,",
    "2ed6657d-e927-568b-95e1-2665a8aea6a2, uuid5,",
    "1EC9414C-232A-6B00-B3C8-9F6BDECED846, uuid6, 2022-02-22T19:22:22Z",
    "017F22E2-79B0-7CC3-98C4-DC0C0C07398F, uuid7, 2022-02-22T19:22:22Z",
    "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0, uuid8,",
    "00000000-0000-0000-0000-000000000000, uuid,",
    "ffffffff-ffff-ffff-ffff-ffffffffffff, uuid,",
    "017F22E2-79B0-7CC3-C8C4-DC0C0C07398F, uuid,",
    "017F22E2-79B0-9CC3-98C4-DC0C0C07398F, uuid,",
    "{017F22E2-79B0-7CC3-98C4-DC0C0C07398F}, uuid7, 2022-02-22T19:22:22Z",
    "urn:uuid:017F22E2-79B0-7CC3-98C4-DC0C0C07398F, uuid7, 2022-02-22T19:22:22Z",
    "017F22E279B07CC398C4DC0C0C07398F, uuid7, 2022-02-22T19:22:22Z",
    "01h455vb4pex5vsknk084sn02q, uuid7, 2023-06-30T03:34:18.518Z",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV, ulid, 2016-07-30T23:54:10.259Z",
    "01arz3ndektsv4rrffq69g5fav, ulid, 2016-07-30T23:54:10.259Z",
    "507f1f77bcf86cd799439011, objectid, 2012-10-17T21:13:27Z",
    "0ujtsYcgvSTl8PAuAdqWYSMnLOv, ksuid, 2017-10-10T04:00:47Z",
    "9m4e2mr0ui3e8a215n4g, xid, 2011-03-22T17:50:19Z",
  })
  void knowsWideIds(String text, String type, Instant instant) {
    assertThat(first(text).type()).isEqualTo(type);
    assertThat(first(text).instant().orElse(null)).isEqualTo(instant);
    assertThat(first(text).plausible()).isTrue();
  }

  /** Field by field, with the bits and what they say. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "507f1f77bcf86cd799439011 | time 32 2012-10-17T21:13:27.000Z, machine 24 bcf86c,"
            + " process 16 55193, counter 24 4427793",
        "507f191e810c19729de860ea | time 32 2012-10-17T20:46:22.000Z, machine 24 810c19,"
            + " process 16 29341, counter 24 15229162",
        "4d3ed089fb60ab534684b7ff | time 32 2011-01-25T13:30:49.000Z, machine 24 fb60ab,"
            + " process 16 21318, counter 24 8697855",
        "5a497a00bcf86cd799439011 | time 32 2018-01-01T00:00:00.000Z, random 40 bcf86cd799,"
            + " counter 24 4427793",
        "C232AB00-9414-11EC-B3C8-9F6BDECED846 | time_low 32 c232ab00, time_mid 16 9414, version 4 1,"
            + " time_high 12 1ec, variant 2 2, clock_seq 14 13256, node 48 9f:6b:de:ce:d8:46 (random)",
        "C232AB00-9414-11EC-B3C8-9E6BDECED846 | time_low 32 c232ab00, time_mid 16 9414, version 4 1,"
            + " time_high 12 1ec, variant 2 2, clock_seq 14 13256, node 48 9e:6b:de:ce:d8:46",
        "000003e8-4a6e-21ef-8d00-325096b39f47 | local_id 32 1000, time_mid 16 4a6e, version 4 2,"
            + " time_high 12 1ef, variant 2 2, clock_seq 6 13, domain 8 0, node 48 32:50:96:b3:9f:47",
        "5df41881-3aed-3515-88a7-2f4a814cf09e | hash_a 48 5df418813aed, version 4 3, hash_b 12 515,"
            + " variant 2 2, hash_c 62 08a72f4a814cf09e",
        "919108f7-52d1-4320-9bac-f847db4148a8 | random_a 48 919108f752d1, version 4 4,"
            + " random_b 12 320, variant 2 2, random_c 62 1bacf847db4148a8",
        "1EC9414C-232A-6B00-B3C8-9F6BDECED846 | time_high 32 1ec9414c, time_mid 16 232a, version 4 6,"
            + " time_low 12 b00, variant 2 2, clock_seq 14 13256, node 48 9f:6b:de:ce:d8:46 (random)",
        "017F22E2-79B0-7CC3-98C4-DC0C0C07398F | time 48 2022-02-22T19:22:22.000Z, version 4 7,"
            + " rand_a 12 cc3, variant 2 2, rand_b 62 18c4dc0c0c07398f",
        "2489E9AD-2EE2-8E00-8EC9-32D5F69181C0 | custom_a 48 2489e9ad2ee2, version 4 8,"
            + " custom_b 12 e00, variant 2 2, custom_c 62 0ec932d5f69181c0",
        "00000000-0000-0000-0000-000000000000 | ''",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV | time 48 2016-07-30T23:54:10.259Z,"
            + " random 80 d6764c61efb99302bd5b",
        "0ujtsYcgvSTl8PAuAdqWYSMnLOv | time 32 2017-10-10T04:00:47.000Z,"
            + " payload 128 b5a1cd34b5f99d1154fb6853345c9735",
        "9m4e2mr0ui3e8a215n4g | time 32 2011-03-22T17:50:19.000Z, machine 24 60f486,"
            + " pid 16 58408, counter 24 4271561",
        "175928847299117063 | time 42 2016-04-30T11:18:25.796Z, datacenter 5 1, worker 5 0,"
            + " sequence 12 7",
      })
  void takesIdsApart(String text, String fields) {
    assertThat(
            first(text).fields().stream()
                .map(field -> field.name() + " " + field.bits() + " " + field.value()))
        .containsExactly(fields.isEmpty() ? new String[0] : fields.split(", ", -1));
  }

  /** Checks that each field's value is at its bits, and that together they are the ID. */
  @ParameterizedTest
  @CsvSource({
    "017F22E2-79B0-7CC3-98C4-DC0C0C07398F, 128, 017f22e279b07cc398c4dc0c0c07398f",
    "01ARZ3NDEKTSV4RRFFQ69G5FAV, 128, 01563e3ab5d3d6764c61efb99302bd5b",
    "507f1f77bcf86cd799439011, 96, 507f1f77bcf86cd799439011",
    "0ujtsYcgvSTl8PAuAdqWYSMnLOv, 160, 0669f7efb5a1cd34b5f99d1154fb6853345c9735",
    "9m4e2mr0ui3e8a215n4g, 96, 4d88e15b60f486e428412dc9",
    "175928847299117063, 64, 0271065ac1020007",
  })
  void tellsTheBits(String text, int bits, String hex) {
    Reading reading = first(text);
    assertThat(reading.binary()).hasSize(bits);
    assertThat(new BigInteger(reading.binary(), 2)).isEqualTo(new BigInteger(hex, 16));
    int end = 0;
    for (IdField field : reversed(reading.fields())) {
      assertThat(field.shift()).isEqualTo(end);
      end += field.bits();
    }
    assertThat(end).isEqualTo(bits);
  }

  private static List<IdField> reversed(List<IdField> fields) {
    List<IdField> reversed = new ArrayList<>(fields);
    Collections.reverse(reversed);
    return reversed;
  }

  @ParameterizedTest
  @CsvSource({
    "00000000-0000-0000-0000-000000000000, the nil UUID",
    "ffffffff-ffff-ffff-ffff-ffffffffffff, the max UUID",
    "017F22E2-79B0-7CC3-18C4-DC0C0C07398F, UUID of another variant: NCS",
    "017F22E2-79B0-7CC3-C8C4-DC0C0C07398F, UUID of another variant: Microsoft",
    "017F22E2-79B0-7CC3-E8C4-DC0C0C07398F, UUID of another variant: reserved",
    "017F22E2-79B0-0CC3-98C4-DC0C0C07398F, 'UUID of no known version, 0'",
    "017F22E2-79B0-9CC3-98C4-DC0C0C07398F, 'UUID of no known version, 9'",
    "017F22E2-79B0-7CC3-98C4-DC0C0C07398F, UUID of version 7: time and random bits",
  })
  void saysWhatUuidItIs(String text, String title) {
    assertThat(first(text).title()).isEqualTo(title);
  }

  @Test
  void knowsTheEndsOfKsuidAndXid() {
    assertThat(first("aWgEPTl1tmebfsQzFP4bxwgy80V").instant())
        .contains(Instant.parse("2150-06-19T23:21:35Z"));
    assertThat(first("aWgEPTl1tmebfsQzFP4bxwgy80V").binary()).isEqualTo("1".repeat(160));
    assertThat(first("000000000000000000000000000").instant())
        .contains(Instant.parse("2014-05-13T16:53:20Z"));
    assertThat(first("vvvvvvvvvvvvvvvvvvvg").instant())
        .contains(Instant.parse("2106-02-07T06:28:15Z"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "12a",
        "?",
        "aWgEPTl1tmebfsQzFP4bxwgy80W",
        "zzzzzzzzzzzzzzzzzzzzzzzzzzz",
        "vvvvvvvvvvvvvvvvvvvh",
        "9m4e2mr0ui3e8a215n41",
        "9m4e2mr0ui3e8a215nw0",
        "81ARZ3NDEKTSV4RRFFQ69G5FAV",
        "017F22E2-79B0-7CC3-98C4-DC0C0C07398",
        "507f1f77bcf86cd79943901g",
        "-5",
        "18446744073709551616",
        "0x10000000000000000",
        "_",
        "order_",
        "_01h455vb4pex5vsknk084sn02q",
      })
  void refusesWhatIsNoId(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> read(text))
        .withMessage(
            "id: "
                + text
                + " (expected: a number from 0 on in decimal, after 0x or in another text form, or a"
                + " UUID, ULID, ObjectId, KSUID, xid or TypeID)");
  }

  @Test
  void readsWhatFollowsAPrefix() {
    Reading reading = first("order_01h455vb4pex5vsknk084sn02q");
    assertThat(reading.type()).isEqualTo("uuid7");
    assertThat(reading.id()).isEqualTo("01890a5d-ac96-774b-bcce-b302099a8057");
    assertThat(reading.form()).isEqualTo("base32 behind order_");
    Reading number = first("a_b_" + DISCORD);
    assertThat(number(number)).isEqualTo(DISCORD);
    assertThat(number.form()).isEqualTo("decimal behind a_b_");
  }

  @Test
  void readsAUuidInBase32AsAUlidToo() {
    assertThat(read("01h455vb4pex5vsknk084sn02q"))
        .extracting(Reading::type)
        .containsExactly("uuid7", "ulid");
  }

  @Test
  void givesReasonsForWideIds() {
    assertThat(first("01h455vb4pex5vsknk084sn02q").reasons())
        .containsExactly("version 7 in its place");
    Ulid future = new Ulid(NOW.plusSeconds(8 * 24 * 3600).toEpochMilli() << 16, 5);
    assertThat(first(future.toString()).reasons())
        .containsExactly("26 characters of base 32", "later than next week");
    assertThat(first(ObjectId.of(NOW.getEpochSecond() - 1, 1, 1).toString()).reasons())
        .containsExactly("24 hexadecimal digits", "recent");
  }

  @ParameterizedTest
  @EnumSource
  void readsEveryFormOfANumber(IdFormat format) {
    List<Reading> readings = read(format.format(DISCORD));
    assertThat(readings)
        .anySatisfy(
            reading -> {
              assertThat(reading.form()).isEqualTo(format.label());
              assertThat(reading.type()).isEqualTo("discord");
              assertThat(number(reading)).isEqualTo(DISCORD);
            });
    assertThat(new Decoder(NOW, format, List.of()).decode(format.format(DISCORD)).get(0).type())
        .isEqualTo(format == IdFormat.BASE32 ? "tsid" : "discord");
  }

  /** An ID of this year, in forms that leave open which one it is. */
  @Test
  void hasTheFormOfANewIdFirst() {
    long id = IdLayout.CLASSIC.minId(NOW.minusSeconds(60)) | 7 << 12;
    for (IdFormat format : IdFormat.values()) {
      Reading reading = first(format.format(id));
      assertThat(reading.form()).isEqualTo(format.label());
      assertThat(reading.type()).isEqualTo("classic");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "175928847299117063, 175928847299117063",
    "0x271065ac1020007, 175928847299117063",
    "0X0271065AC1020007, 175928847299117063",
    "18446744073709551615, -1",
    "0xffffffffffffffff, -1",
    "4jgmnx8Js8A, 1428076403798048768",
  })
  void readsNumbers(String text, long id) {
    assertThat(number(first(text))).isEqualTo(id);
  }

  /** As bwmarrin's, CosId's and the JDK's conversions write small numbers. */
  @Test
  void readsFormsWithoutTheirLeadingZeros() {
    long id = 3_000_000_000_000_000L;
    for (IdFormat format : List.of(IdFormat.BASE62, IdFormat.BASE58, IdFormat.BASE36)) {
      String zero = String.valueOf(format.digit(0));
      String text = format.format(id).replaceFirst("^" + zero + "+", "");
      assertThat(text).hasSizeLessThan(format.maxLength());
      assertThat(read(text)).extracting(DecoderTest::number).contains(id);
    }
  }

  @ParameterizedTest
  @CsvSource({"cosid, BASE62", "leaf, BASE58", "tsid, BASE32"})
  void knowsTheFormThatAFamilyWrites(String family, IdFormat format) {
    long id = IdLayout.of(family).minId(NOW.minusSeconds(60));
    assertThat(read(format.format(id)))
        .filteredOn(reading -> reading.type().equals(family) && number(reading) == id)
        .allSatisfy(reading -> assertThat(reading.reasons()).contains("written as its IDs are"));
  }

  @Test
  void readsNoMixOfCasesInFormsThatHaveOneCase() {
    String text = IdFormat.BASE36.format(DISCORD);
    String mixed = text.substring(0, 12).toUpperCase(Locale.ROOT) + "q";
    assertThat(read(text.toUpperCase(Locale.ROOT))).extracting(Reading::form).contains("base36");
    assertThatIllegalArgumentException().isThrownBy(() -> read(mixed));
  }

  @Test
  void readsALayoutInTheFormThatIsMostPlausible() {
    long id = IdLayout.CLASSIC.minId(NOW.minusSeconds(60)) | 7 << 12;
    for (IdFormat format : IdFormat.values()) {
      NumberReading reading = new Decoder(NOW).decode(format.format(id), IdLayout.CLASSIC);
      assertThat(reading.parts().id()).isEqualTo(id);
      assertThat(reading.form()).isEqualTo(format.label());
    }
  }

  @Test
  void refusesNumbersThatDoNotFitTheLayout() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Decoder(NOW).decode("9007199254740992", IdLayout.JS_SAFE))
        .withMessageStartingWith("id: 9007199254740992 (expected: 0..9007199254740991");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new Decoder(NOW).decode("12a", IdLayout.JS_SAFE))
        .withMessage("decimal: 12a (expected: a digit of base 10 at position 3)");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                new Decoder(NOW, IdFormat.BASE62, List.of())
                    .decode("LygHa16AHYG", IdLayout.CLASSIC))
        .withMessage("base62: LygHa16AHYG (expected: at most LygHa16AHYF, 64 bits)");
  }

  @Test
  void readsOnlyTheGivenForm() {
    assertThat(number(new Decoder(NOW, IdFormat.BASE62, List.of()).decode("0x000000000").get(0)))
        .isEqualTo(IdFormat.BASE62.parse("0x000000000"));
    assertThat(number(new Decoder(NOW, IdFormat.HEX, List.of()).decode("0xff").get(0)))
        .isEqualTo(255);
    for (String text : List.of("0x", "0xg", "0x10000000000000000", "0x-1")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new Decoder(NOW, IdFormat.HEX, List.of()).decode(text))
          .withMessage("hex: " + text + " (expected: 1..16 hexadecimal digits after 0x)");
    }
  }

  @Test
  void hasThePlausibleReadingsFirst() {
    List<Reading> readings = read("18446744073709551615");
    assertThat(readings).isNotEmpty().noneMatch(Reading::plausible);
    assertThat(readings).allSatisfy(r -> assertThat(r.reasons()).contains("later than next week"));
    List<Boolean> plausible = read("" + DISCORD).stream().map(Reading::plausible).toList();
    assertThat(plausible.subList(0, 11)).containsOnly(true);
    assertThat(plausible.subList(11, plausible.size())).isNotEmpty().containsOnly(false);
  }

  @Test
  void readsOrRefusesEverythingElse() {
    Trials.check(
        "any text as ID",
        5_000,
        DecoderTest::anyText,
        text -> {
          try {
            assertThat(read(text)).isNotEmpty();
          } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("id: " + text + " (expected: ");
          }
        });
  }

  private static String anyText(RandomGenerator random) {
    StringBuilder text =
        new StringBuilder(
            switch (random.nextInt(7)) {
              case 0 -> Uuids.of(bytes(random, 16)).toString();
              case 1 -> Ulid.of(bytes(random, 16)).toString();
              case 2 -> ObjectId.of(bytes(random, 12)).toString();
              case 3 -> "order_" + Uuids.toBase32(Uuids.of(bytes(random, 16)));
              case 4 -> IdFormat.BASE62.format(random.nextLong()).repeat(3).substring(0, 27);
              case 5 -> Long.toString(random.nextLong() >>> 1, 32).repeat(2).substring(0, 20);
              default -> FORMATS.get(random.nextInt(FORMATS.size())).format(random.nextLong());
            });
    for (int mistakes = random.nextInt(3); mistakes > 0; mistakes--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(3)) {
        case 0 -> text.deleteCharAt(at).append('0');
        case 1 -> text.insert(at, (char) random.nextInt(300));
        default -> text.setCharAt(at, (char) random.nextInt(0x10000));
      }
    }
    return text.toString();
  }

  private static byte[] bytes(RandomGenerator random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }
}
