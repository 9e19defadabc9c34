package io.firn.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdPrefixTest {

  private static final IdPrefix ORDER = IdPrefix.of("order");

  @Test
  void standsBeforeAnyForm() {
    for (IdFormat format : IdFormat.values()) {
      String text = ORDER.add(format.format(175928847299117063L));
      assertThat(text).startsWith("order_");
      assertThat(format.parse(ORDER.remove(text))).isEqualTo(175928847299117063L);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "orders_1", "Order_1", "order", "order_", "order-1", ""})
  void refusesATextWithoutIt(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ORDER.remove(text))
        .withMessage("id: " + text + " (expected: order_ and an ID after it)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "_a", "a_", "A", "a1", "a-b", "é"})
  void refusesAPrefixThatTypeIdWouldNotTake(String prefix) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IdPrefix.of(prefix))
        .withMessage(
            "prefix: " + prefix + " (expected: 1..63 of a..z and _, a letter first and last)");
  }

  @Test
  void takesOneTo63Characters() {
    assertThat(IdPrefix.of("a")).hasToString("a");
    assertThat(IdPrefix.of("a".repeat(63)).toString()).hasSize(63);
    assertThat(IdPrefix.of("a__b")).hasToString("a__b");
    assertThatIllegalArgumentException().isThrownBy(() -> IdPrefix.of("a".repeat(64)));
  }

  @Test
  void isAValue() {
    assertThat(IdPrefix.of("order")).isEqualTo(ORDER).hasSameHashCodeAs(ORDER);
    assertThat(IdPrefix.of("user")).isNotEqualTo(ORDER);
  }
}
