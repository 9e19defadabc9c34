package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.text.IdFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class IdTextTest {

  private static final long ID = 175928847299117063L;

  @ParameterizedTest
  @CsvSource({
    "175928847299117063, 175928847299117063",
    "0x271065ac1020007, 175928847299117063",
    "0X0271065AC1020007, 175928847299117063",
    "0x0, 0",
    "18446744073709551615, -1",
    "0xffffffffffffffff, -1",
  })
  void readsDecimalAndPrefixedHex(String text, long id) {
    assertThat(new IdText(null).read(text)).isEqualTo(id);
  }

  @ParameterizedTest
  @EnumSource(IdFormat.class)
  void readsTheFormatThatItIsTold(IdFormat format) {
    assertThat(new IdText(format).read(format.format(ID))).isEqualTo(ID);
  }

  @Test
  void readsAPrefixedHexWhereHexIsTold() {
    assertThat(new IdText(IdFormat.HEX).read("0xff")).isEqualTo(255);
  }

  @Test
  void readsADigitXInBase62() {
    assertThat(new IdText(IdFormat.BASE62).read("0x000000000"))
        .isEqualTo(IdFormat.BASE62.parse("0x000000000"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"0x", "0xg", "0x10000000000000000", "0x-1"})
  void refusesAWrongHex(String text) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IdText(null).read(text))
        .withMessage("hex: " + text + " (expected: 1..16 hexadecimal digits after 0x)");
  }

  @Test
  void refusesAWrongDecimalInTheWordsOfCore() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new IdText(null).read("12a"))
        .withMessage("decimal: 12a (expected: a digit of base 10 at position 3)");
  }
}
