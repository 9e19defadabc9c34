package io.firn.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AttributeIdsTest {

  private static Object id(Class<?> type, String format) {
    return AttributeIds.of("Order.id", type, format, () -> () -> 4711).get();
  }

  private static Object wideId(Class<?> type, String format) {
    return AttributeIds.of(
            "Order.id",
            type,
            format,
            () -> {
              throw new AssertionError("asked for a generator");
            })
        .get();
  }

  @Test
  void areNumbersAndTheirTexts() {
    assertThat(id(long.class, "decimal")).isEqualTo(4711L);
    assertThat(id(Long.class, "decimal")).isEqualTo(4711L);
    assertThat(id(String.class, "decimal")).isEqualTo("4711");
    assertThat(id(String.class, "hex")).isEqualTo("0000000000001267");
  }

  @Test
  void areOfTheirOwnKindWhereWide() {
    assertThat(((UUID) wideId(UUID.class, "decimal")).version()).isEqualTo(7);
    assertThat(wideId(Ulid.class, "decimal")).isInstanceOf(Ulid.class);
    assertThat(wideId(ObjectId.class, "decimal")).isInstanceOf(ObjectId.class);
    assertThat(Uuids.parse((String) wideId(String.class, "uuid7")).version()).isEqualTo(7);
    assertThat(Ulid.parse((String) wideId(String.class, "ulid"))).isNotNull();
    assertThat(ObjectId.parse((String) wideId(String.class, "objectid"))).isNotNull();
  }

  @Test
  void areNotOfAnyOtherTypeOrFormat() {
    refuses(
        int.class,
        "decimal",
        "attribute Order.id: type: int (expected: long, Long, String, UUID, Ulid or ObjectId, to hold an ID)");
    refuses(Long.class, "hex", "attribute Order.id: format: hex (expected: none for a Long)");
    refuses(UUID.class, "ulid", "attribute Order.id: format: ulid (expected: none for a UUID)");
    refuses(
        String.class,
        "base99",
        "attribute Order.id: format: base99 (expected: decimal, hex, binary, base62, base58, base36, base32,"
            + " base64url)");
  }

  private static void refuses(Class<?> type, String format, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> id(type, format)).withMessage(message);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 1, Long.MAX_VALUE})
  void keepNumbersThatWereGiven(long number) {
    assertThat(AttributeIds.isSet(number)).isTrue();
  }

  @Test
  void fillNullZeroAndEmptyTexts() {
    assertThat(AttributeIds.isSet(null)).isFalse();
    assertThat(AttributeIds.isSet(0L)).isFalse();
    assertThat(AttributeIds.isSet("")).isFalse();
    assertThat(AttributeIds.isSet("0")).isTrue();
  }
}
