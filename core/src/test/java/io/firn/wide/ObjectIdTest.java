package io.firn.wide;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.Serialized;
import io.firn.testkit.Trials;
import java.util.Arrays;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

class ObjectIdTest {

  private static final ObjectId EXAMPLE = ObjectId.of(1350508407L, 0xbcf86cd799L, 4427793);

  private static ObjectId any(RandomGenerator random) {
    return ObjectId.of(random.nextLong() >>> 32, random.nextLong() >>> 24, random.nextInt(1 << 24));
  }

  private static void refuses(String text, String expected) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ObjectId.parse(text))
        .withMessage("objectid: " + text + " (expected: " + expected + ")");
  }

  @Test
  void readsTheExampleOfTheManual() {
    ObjectId id = ObjectId.parse("507f1f77bcf86cd799439011");
    assertThat(id).isEqualTo(EXAMPLE).hasToString("507f1f77bcf86cd799439011");
    assertThat(id.instant()).isEqualTo("2012-10-17T21:13:27Z");
    assertThat(ObjectId.parse("507F1F77BCF86CD799439011")).isEqualTo(id);
  }

  @Test
  void takesItsTimeAsUnsigned() {
    assertThat(ObjectId.parse("7fffffff0000000000000000").instant())
        .isEqualTo("2038-01-19T03:14:07Z");
    assertThat(ObjectId.parse("800000000000000000000000").instant())
        .isEqualTo("2038-01-19T03:14:08Z");
    assertThat(ObjectId.parse("ffffffff0000000000000000").instant())
        .isEqualTo("2106-02-07T06:28:15Z");
  }

  @Test
  void takesTheEndsOfItsParts() {
    assertThat(ObjectId.of(0, 0, 0)).hasToString("000000000000000000000000");
    assertThat(ObjectId.of((1L << 32) - 1, (1L << 40) - 1, (1 << 24) - 1))
        .hasToString("ffffffffffffffffffffffff");
  }

  @Test
  void refusesPartsThatDoNotFit() {
    refusesPart(() -> ObjectId.of(-1, 0, 0), "epochSecond: -1 (expected: 0..4294967295)");
    refusesPart(
        () -> ObjectId.of(1L << 32, 0, 0), "epochSecond: 4294967296 (expected: 0..4294967295)");
    refusesPart(() -> ObjectId.of(0, -1, 0), "random: -1 (expected: 0..1099511627775)");
    refusesPart(
        () -> ObjectId.of(0, 1L << 40, 0), "random: 1099511627776 (expected: 0..1099511627775)");
    refusesPart(() -> ObjectId.of(0, 0, -1), "counter: -1 (expected: 0..16777215)");
    refusesPart(() -> ObjectId.of(0, 0, 1 << 24), "counter: 16777216 (expected: 0..16777215)");
  }

  private static void refusesPart(Runnable making, String message) {
    assertThatIllegalArgumentException().isThrownBy(making::run).withMessage(message);
  }

  @Test
  void refusesWhatIsNoObjectIdAndSaysWhere() {
    refuses("", "24 characters");
    refuses("507f1f77bcf86cd79943901", "24 characters");
    refuses("507f1f77bcf86cd7994390111", "24 characters");
    refuses("g07f1f77bcf86cd799439011", "a digit of base 16 at position 1");
    refuses("507f1f77bcf86cd79943901٣", "a digit of base 16 at position 24");
  }

  @Test
  void readsBackWhatItWrites() {
    Trials.check(
        "round trip of ObjectIds",
        10_000,
        ObjectIdTest::any,
        id -> {
          assertThat(ObjectId.parse(id.toString())).isEqualTo(id);
          assertThat(ObjectId.of(id.toBytes())).isEqualTo(id);
        });
  }

  @Test
  void comparesAsItsBytesAndItsTextsDo() {
    record Pair(ObjectId one, ObjectId other) {}
    Trials.check(
        "order of ObjectIds",
        10_000,
        random -> {
          ObjectId one = any(random);
          return switch (random.nextInt(3)) {
            case 0 -> new Pair(one, any(random));
            case 1 -> new Pair(one, ObjectId.of(one.epochSecond(), any(random).random(), 5));
            default ->
                new Pair(one, ObjectId.of(one.epochSecond(), one.random(), any(random).counter()));
          };
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
        "any text as ObjectId",
        20_000,
        random -> Garbled.text(any(random).toString(), random),
        text -> {
          try {
            assertThat(ObjectId.parse(text)).hasToString(text.toLowerCase(Locale.ROOT));
          } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("objectid: " + text + " (expected: ");
          }
        });
  }

  @Test
  void refusesBytesOfAnotherLength() {
    for (int length : new int[] {0, 11, 13}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> ObjectId.of(new byte[length]))
          .withMessage("objectid: " + length + " bytes (expected: 12)");
    }
  }

  @Test
  void isSerializable() throws Exception {
    assertThat(Serialized.copyOf(EXAMPLE)).isEqualTo(EXAMPLE);
  }
}
