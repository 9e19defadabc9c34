package io.firn.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import io.firn.testkit.Trials;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IdFormatTest {

  private static final long MAX = -1L;

  private static void refuses(IdFormat format, String text, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> format.parse(text)).withMessage(message);
  }

  @Test
  void writesTheEndsOfEachForm() {
    assertThat(IdFormat.DECIMAL.format(0)).isEqualTo("0");
    assertThat(IdFormat.DECIMAL.format(MAX)).isEqualTo("18446744073709551615");
    assertThat(IdFormat.HEX.format(0)).isEqualTo("0000000000000000");
    assertThat(IdFormat.HEX.format(MAX)).isEqualTo("ffffffffffffffff");
    assertThat(IdFormat.BINARY.format(0)).isEqualTo("0".repeat(64));
    assertThat(IdFormat.BINARY.format(MAX)).isEqualTo("1".repeat(64));
    assertThat(IdFormat.BASE62.format(0)).isEqualTo("00000000000");
    assertThat(IdFormat.BASE62.format(MAX)).isEqualTo("LygHa16AHYF");
    assertThat(IdFormat.BASE32.format(0)).isEqualTo("0000000000000");
    assertThat(IdFormat.BASE32.format(MAX)).isEqualTo("FZZZZZZZZZZZZ");
    assertThat(IdFormat.BASE58.format(0)).isEqualTo("11111111111");
    assertThat(IdFormat.BASE58.format(MAX)).isEqualTo("JPwcyDCgEup");
    assertThat(IdFormat.BASE36.format(0)).isEqualTo("0000000000000");
    assertThat(IdFormat.BASE36.format(MAX)).isEqualTo("3w5e11264sgsf");
    assertThat(IdFormat.BASE64URL.format(0)).isEqualTo("AAAAAAAAAAA");
    assertThat(IdFormat.BASE64URL.format(MAX)).isEqualTo("__________8");
  }

  @Test
  void writesBase58AsOthersDo() {
    assertThat(IdFormat.BASE58.format(1428076403798048768L)).isEqualTo("4jgmnx8Js8A");
    assertThat(IdFormat.BASE58.parse("4jgmnx8Js8A")).isEqualTo(1428076403798048768L);
  }

  @Test
  void writesBase36AsTheJdkDoes() {
    Trials.check(
        "base36 beside Long.toString",
        2_000,
        IdFormatTest::any,
        id ->
            assertThat(IdFormat.BASE36.format(id).replaceFirst("^0+(?=.)", ""))
                .isEqualTo(Long.toUnsignedString(id, 36)));
  }

  @Test
  void writesBase64AsTheJdkDoes() {
    Trials.check(
        "base64url beside Base64",
        2_000,
        IdFormatTest::any,
        id ->
            assertThat(IdFormat.BASE64URL.format(id))
                .isEqualTo(
                    Base64.getUrlEncoder()
                        .withoutPadding()
                        .encodeToString(ByteBuffer.allocate(8).putLong(id).array())));
  }

  @Test
  void writesDigitsAsTheirAlphabetsDo() {
    assertThat(IdFormat.BASE62.format(61)).isEqualTo("0000000000z");
    assertThat(IdFormat.BASE62.format(62)).isEqualTo("00000000010");
    assertThat(IdFormat.BASE62.format(36)).isEqualTo("0000000000a");
    assertThat(IdFormat.BASE32.format(31)).isEqualTo("000000000000Z");
    assertThat(IdFormat.BASE32.format(18)).isEqualTo("000000000000J");
    assertThat(IdFormat.HEX.format(175928847299117063L)).isEqualTo("0271065ac1020007");
  }

  @Test
  void writesDecimalsOfEveryLength() {
    long power = 1;
    for (int digits = 1; digits <= 19; digits++, power *= 10) {
      assertThat(writtenBytes(power)).isEqualTo(Long.toString(power));
      assertThat(writtenBytes(power - 1)).isEqualTo(Long.toString(power - 1));
    }
    for (long id : new long[] {Long.MAX_VALUE, Long.MIN_VALUE, -8446744073709551616L}) {
      assertThat(writtenBytes(id)).isEqualTo(Long.toUnsignedString(id));
      assertThat(writtenBytes(id - 1)).isEqualTo(Long.toUnsignedString(id - 1));
    }
  }

  private static String writtenBytes(long id) {
    byte[] target = new byte[20];
    return new String(target, 0, IdFormat.DECIMAL.write(id, target, 0), StandardCharsets.US_ASCII);
  }

  @Test
  void readsCrockfordsAlternatives() {
    assertThat(IdFormat.BASE32.parse("fzzzzzzzzzzzz")).isEqualTo(MAX);
    assertThat(IdFormat.BASE32.parse("FzZzZzZzZzZzZ")).isEqualTo(MAX);
    assertThat(IdFormat.BASE32.parse("000000000000I")).isEqualTo(1);
    assertThat(IdFormat.BASE32.parse("000000000000i")).isEqualTo(1);
    assertThat(IdFormat.BASE32.parse("000000000000L")).isEqualTo(1);
    assertThat(IdFormat.BASE32.parse("000000000000l")).isEqualTo(1);
    assertThat(IdFormat.BASE32.parse("OoOoOoOoOoO01")).isEqualTo(1);
  }

  @Test
  void readsUpperCaseWhereThereIsOneCaseOnly() {
    assertThat(IdFormat.HEX.parse("FFFFFFFFFFFFFFFE")).isEqualTo(-2);
    assertThat(IdFormat.BASE36.parse("3W5E11264SGSE")).isEqualTo(-2);
  }

  @Test
  void refusesMoreThan64Bits() {
    refuses(
        IdFormat.BASE32,
        "G000000000000",
        "base32: G000000000000 (expected: at most FZZZZZZZZZZZZ, 64 bits)");
    refuses(
        IdFormat.BASE32,
        "ZZZZZZZZZZZZZ",
        "base32: ZZZZZZZZZZZZZ (expected: at most FZZZZZZZZZZZZ, 64 bits)");
    refuses(
        IdFormat.BASE62,
        "LygHa16AHYG",
        "base62: LygHa16AHYG (expected: at most LygHa16AHYF, 64 bits)");
    refuses(
        IdFormat.BASE62,
        "zzzzzzzzzzz",
        "base62: zzzzzzzzzzz (expected: at most LygHa16AHYF, 64 bits)");
    refuses(
        IdFormat.DECIMAL,
        "18446744073709551616",
        "decimal: 18446744073709551616 (expected: at most 18446744073709551615, 64 bits)");
    refuses(
        IdFormat.DECIMAL,
        "99999999999999999999",
        "decimal: 99999999999999999999 (expected: at most 18446744073709551615, 64 bits)");
    refuses(
        IdFormat.BASE58,
        "JPwcyDCgEuq",
        "base58: JPwcyDCgEuq (expected: at most JPwcyDCgEup, 64 bits)");
    refuses(
        IdFormat.BASE36,
        "3w5e11264sgsg",
        "base36: 3w5e11264sgsg (expected: at most 3w5e11264sgsf, 64 bits)");
  }

  /** The last five digits are zeros, and what is above them is one too many. */
  @Test
  void refusesMoreThan64BitsAboveTheLastPiece() {
    refuses(
        IdFormat.BASE62,
        "LygHa200000",
        "base62: LygHa200000 (expected: at most LygHa16AHYF, 64 bits)");
    refuses(
        IdFormat.BASE58,
        "JPwcyE11111",
        "base58: JPwcyE11111 (expected: at most JPwcyDCgEup, 64 bits)");
    refuses(
        IdFormat.BASE36,
        "3w5e112700000",
        "base36: 3w5e112700000 (expected: at most 3w5e11264sgsf, 64 bits)");
  }

  @Test
  void refusesBitsBehindTheLastByteInBase64() {
    refuses(
        IdFormat.BASE64URL,
        "AAAAAAAAAAB",
        "base64url: AAAAAAAAAAB (expected: one of AEIMQUYcgkosw048 at position 11)");
    assertThat(IdFormat.BASE64URL.parse("AAAAAAAAAAE")).isEqualTo(1);
  }

  @Test
  void refusesTheWrongLength() {
    refuses(IdFormat.DECIMAL, "", "decimal:  (expected: 1..20 characters)");
    refuses(
        IdFormat.DECIMAL,
        "100000000000000000000",
        "decimal: 100000000000000000000 (expected: 1..20 characters)");
    refuses(IdFormat.HEX, "123456789abcdef", "hex: 123456789abcdef (expected: 16 characters)");
    refuses(IdFormat.HEX, "0123456789abcdef0", "hex: 0123456789abcdef0 (expected: 16 characters)");
    refuses(IdFormat.BINARY, "1", "binary: 1 (expected: 64 characters)");
    refuses(IdFormat.BASE62, "1", "base62: 1 (expected: 11 characters)");
    refuses(IdFormat.BASE32, "0", "base32: 0 (expected: 13 characters)");
    refuses(IdFormat.BASE58, "1111111111", "base58: 1111111111 (expected: 11 characters)");
    refuses(IdFormat.BASE58, "111111111111", "base58: 111111111111 (expected: 11 characters)");
    refuses(IdFormat.BASE36, "000000000000", "base36: 000000000000 (expected: 13 characters)");
    refuses(
        IdFormat.BASE64URL, "AAAAAAAAAAA=", "base64url: AAAAAAAAAAA= (expected: 11 characters)");
  }

  @Test
  void refusesAForeignCharacterAndSaysWhere() {
    refuses(IdFormat.DECIMAL, "-1", "decimal: -1 (expected: a digit of base 10 at position 1)");
    refuses(IdFormat.DECIMAL, "12a", "decimal: 12a (expected: a digit of base 10 at position 3)");
    refuses(IdFormat.DECIMAL, "1٣", "decimal: 1٣ (expected: a digit of base 10 at position 2)");
    refuses(
        IdFormat.BASE32,
        "000000000000U",
        "base32: 000000000000U (expected: a digit of base 32 at position 13)");
    refuses(
        IdFormat.BASE62,
        "0000000000_",
        "base62: 0000000000_ (expected: a digit of base 62 at position 11)");
    refuses(
        IdFormat.HEX,
        "g000000000000000",
        "hex: g000000000000000 (expected: a digit of base 16 at position 1)");
    refuses(
        IdFormat.BASE58,
        "11111011111",
        "base58: 11111011111 (expected: a digit of base 58 at position 6)");
    refuses(
        IdFormat.BASE64URL,
        "AAAAAAAAAA+",
        "base64url: AAAAAAAAAA+ (expected: a digit of base 64 at position 11)");
  }

  @Test
  void refusesALeadingZeroInADecimal() {
    refuses(IdFormat.DECIMAL, "01", "decimal: 01 (expected: no leading zero)");
    assertThat(IdFormat.DECIMAL.parse("0")).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void readsBackWhatItWrites(IdFormat format) {
    Trials.check(
        "round trip of " + format,
        20_000,
        random -> random.nextLong() >>> random.nextInt(64),
        id -> {
          String text = format.format(id);
          assertThat(text.length()).isLessThanOrEqualTo(format.maxLength());
          assertThat(format.parse(text)).isEqualTo(id);
          byte[] target = new byte[format.maxLength()];
          int length = format.write(id, target, 0);
          assertThat(new String(target, 0, length, StandardCharsets.US_ASCII)).isEqualTo(text);
          StringBuilder appended = new StringBuilder("id=");
          format.append(id, appended);
          assertThat(appended).hasToString("id=" + text);
        });
  }

  /** The numbers at which a digit is added, and at which a number is split into parts. */
  @ParameterizedTest
  @EnumSource
  void writesThePowersOfItsBase(IdFormat format) {
    for (long power = 1, left = -1; Long.compareUnsigned(left, format.base()) >= 0; ) {
      power *= format.base();
      left = Long.divideUnsigned(left, format.base());
      for (long multiple = power, i = 0; i < format.base() - 1; i++, multiple += power) {
        for (long id = multiple - 1; id != multiple + 2; id++) {
          assertThat(format.parse(format.format(id))).isEqualTo(id);
        }
      }
    }
  }

  /** Texts of nearly the right length, of nearly the right characters. */
  @ParameterizedTest
  @EnumSource
  void readsNoTextThatItWouldNotWrite(IdFormat format) {
    Trials.check(
        "any text as " + format,
        20_000,
        random -> anyText(format, random),
        text -> {
          try {
            assertThat(format.format(format.parse(text))).isEqualTo(canonical(format, text));
          } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith(format.label() + ": " + text + " (expected: ");
          }
        });
  }

  @Test
  void labelHasTwoCasesInAsciiOnly() {
    for (IdFormat format : IdFormat.values()) {
      assertThat(IdFormat.of(format.label())).isEqualTo(format);
      assertThat(IdFormat.of(format.name())).isEqualTo(format);
    }
    for (String wrong : List.of("ba\u017fe62", "dec\u0131mal", "b\u0130nary")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> IdFormat.of(wrong))
          .withMessageStartingWith("format: " + wrong + " (expected: decimal, ");
    }
  }

  private static String anyText(IdFormat format, RandomGenerator random) {
    int length = format.maxLength() + Math.max(0, random.nextInt(12) - 9);
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(12) == 0 ? 1 : 0; i < length; i++) {
      text.append(
          random.nextInt(40) == 0
              ? (char) random.nextInt(300)
              : format.digit(random.nextInt(format.base())));
    }
    return text.toString();
  }

  private static String canonical(IdFormat format, String text) {
    return switch (format) {
      case HEX, BASE36 -> text.toLowerCase(Locale.ROOT);
      case BASE32 ->
          text.toUpperCase(Locale.ROOT).replace('O', '0').replace('I', '1').replace('L', '1');
      default -> text;
    };
  }

  @ParameterizedTest
  @EnumSource
  void writesWithoutGarbage(IdFormat format) {
    byte[] target = new byte[64];
    StringBuilder builder = new StringBuilder(64);
    Runnable writing =
        () -> {
          for (long id = 1; id < 10_000; id++) {
            format.write(id * 0x9E3779B97F4A7C15L, target, 0);
            builder.setLength(0);
            format.append(id * 0x9E3779B97F4A7C15L, builder);
          }
        };
    writing.run();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    writing.run();
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(10_000);
  }

  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"DECIMAL", "BASE58", "BASE64URL"})
  void sortsLikeTheNumbers(IdFormat format) {
    record Pair(long a, long b) {}
    Trials.check(
        "order of " + format,
        20_000,
        random -> new Pair(any(random), any(random)),
        pair ->
            assertThat(Integer.signum(format.format(pair.a()).compareTo(format.format(pair.b()))))
                .isEqualTo(Long.compareUnsigned(pair.a(), pair.b())));
  }

  private static long any(RandomGenerator random) {
    return random.nextLong() >>> random.nextInt(64);
  }

  @Test
  void writesIntoTheMiddleOfAnArray() {
    byte[] target = "..........".getBytes(StandardCharsets.US_ASCII);
    assertThat(IdFormat.DECIMAL.write(1234, target, 3)).isEqualTo(4);
    assertThat(target).asString().isEqualTo("...1234...");
    assertThatExceptionOfType(ArrayIndexOutOfBoundsException.class)
        .isThrownBy(() -> IdFormat.DECIMAL.write(1234, target, 7));
  }
}
