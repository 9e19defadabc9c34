package io.firn.verify;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.text.IdFormat;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LineReaderTest {

  private static List<String> ids(LineFormat format, String text) throws IOException {
    LineReader reader = reader(format, text);
    List<String> ids = new ArrayList<>();
    while (reader.next()) {
      ids.add(reader.line() + ":" + Long.toUnsignedString(reader.id()));
    }
    assertThat(reader.bytes()).isEqualTo(text.getBytes(UTF_8).length);
    return ids;
  }

  private static LineReader reader(LineFormat format, String text) {
    return new LineReader("ids", new ByteArrayInputStream(text.getBytes(UTF_8)), format);
  }

  private static LineFormat column(int number) {
    return new LineFormat(
        OptionalInt.of(number), Optional.empty(), Optional.empty(), false, IdFormat.DECIMAL);
  }

  private static LineFormat column(String name) {
    return new LineFormat(
        OptionalInt.empty(), Optional.of(name), Optional.empty(), false, IdFormat.DECIMAL);
  }

  @Test
  void readsAnIdALineWithoutSpacesQuotesAndEmptyLines() throws IOException {
    assertThat(ids(LineFormat.PLAIN, "\ufeff7\r\n\n  8 \n\"9\"\n00\n18446744073709551615"))
        .containsExactly("1:7", "3:8", "4:9", "5:0", "6:18446744073709551615");
    assertThat(ids(LineFormat.PLAIN, "")).isEmpty();
    assertThat(ids(LineFormat.PLAIN, "\n\n")).isEmpty();
  }

  @Test
  void readsAColumnByNumberOrName() throws IOException {
    assertThat(ids(column(2), "a,5,x\n\"b,c\",\"6\"\n")).containsExactly("1:5", "2:6");
    assertThat(ids(column(2), "a,z\t5\nb\t6\n")).containsExactly("1:5", "2:6");
    assertThat(ids(column("id"), "name,\"id\"\nx,7\n")).containsExactly("2:7");
    LineFormat pipes =
        new LineFormat(
            OptionalInt.of(1), Optional.empty(), Optional.of('|'), true, IdFormat.DECIMAL);
    assertThat(ids(pipes, " id | name\n  7 | a,b\n")).containsExactly("2:7");
  }

  @Test
  void readsOtherForms() throws IOException {
    LineFormat hex =
        new LineFormat(OptionalInt.empty(), Optional.empty(), Optional.empty(), true, IdFormat.HEX);
    assertThat(ids(hex, "id\nffffffffffffffff\n")).containsExactly("2:18446744073709551615");
    assertThat(ids(hex, "id\n0x1F\n0Xa\n\"7\"\n")).containsExactly("2:31", "3:10", "4:7");
    for (String bad : List.of("0x", "x", "-1", "00000000000000001", "0x0x1")) {
      assertThatExceptionOfType(BadLineException.class)
          .isThrownBy(() -> ids(hex, "id\n" + bad + "\n"))
          .withMessage("ids:2: " + bad + " (expected: an ID of at most 64 bits in hex)");
    }
  }

  @Test
  void readsNegativeNumbersAsTheir64Bits() throws IOException {
    LineReader reader = reader(LineFormat.PLAIN, "-9223372036854775808\n-1\n-0\n5\n");
    List<String> read = new ArrayList<>();
    while (reader.next()) {
      read.add(reader.id() + " " + reader.negative());
    }
    assertThat(read).containsExactly("-9223372036854775808 true", "-1 true", "0 false", "5 false");
  }

  /** An ID that is refused must not be passed over. */
  @ParameterizedTest
  @ValueSource(strings = {"18446744073709551616", "0hqgxa5g30g0j", "7 8", "''"})
  void namesNoHeaderWhereTheFirstLineHasDigits(String line) {
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> ids(LineFormat.PLAIN, line + "\n7\n"))
        .withMessageEndingWith(" (expected: an ID of at most 64 bits in decimal)");
  }

  @Test
  void namesTheOptionForATableAndForAHeader() {
    LineFormat first =
        new LineFormat(
            OptionalInt.of(1), Optional.empty(), Optional.empty(), false, IdFormat.DECIMAL);
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> ids(LineFormat.PLAIN, "id,name\n7,a\n"))
        .withMessageEndingWith(" 64 bits in decimal; --column chooses that of a table)");
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> ids(LineFormat.PLAIN, "7\n8\ta\n"))
        .withMessageEndingWith(" 64 bits in decimal; --column chooses that of a table)");
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> ids(LineFormat.PLAIN, "id\n7\n"))
        .withMessageEndingWith(" 64 bits in decimal; --header passes over the first line)");
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> ids(first, "id,name\n7,a\n"))
        .withMessageEndingWith(" 64 bits in decimal; --header passes over the first line)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "x",
        "-",
        "--1",
        "-9223372036854775809",
        "-18446744073709551615",
        "1.0",
        "1 2",
        "0x10",
        "18446744073709551616",
        "99999999999999999999",
        "184467440737095516150"
      })
  void refusesALineWithoutAnIdAndReadsOnAfterIt(String line) throws IOException {
    LineReader reader = reader(LineFormat.PLAIN, "1\n" + line + "\n2\n");
    assertThat(reader.next()).isTrue();
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(reader::next)
        .withMessage("ids:2: " + line + " (expected: an ID of at most 64 bits in decimal)");
    assertThat(reader.next()).isTrue();
    assertThat(reader.id()).isEqualTo(2);
    assertThat(reader.line()).isEqualTo(3);
    assertThat(reader.next()).isFalse();
  }

  @Test
  void refusesALineWithTooFewColumnsAndAnUnknownColumn() {
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> ids(column(3), "1,2,3\n1,2\n"))
        .withMessage("ids:2: 2 columns (expected: at least 3)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> ids(column("key"), "id,name\n1,2\n"))
        .withMessage("column: key (expected: a column of ids: id, name)");
  }

  @Test
  void refusesALineThatIsLongerThanItsBuffer() throws IOException {
    String longest = " ".repeat((1 << 20) - 2) + "7";
    assertThat(ids(LineFormat.PLAIN, "5\n" + longest + "\n6")).hasSize(3);
    assertThatExceptionOfType(BadLineException.class)
        .isThrownBy(() -> ids(LineFormat.PLAIN, "5\n " + longest + " \n6"))
        .withMessage("ids:2: a line of more than 1048576 bytes (expected: a shorter one)");
    for (String tooLong : List.of(" " + longest, "x".repeat(5 << 20))) {
      for (String end : List.of("", "\n", "\n6", "\n6\n")) {
        LineReader reader = reader(LineFormat.PLAIN, "5\n" + tooLong + end);
        assertThat(reader.next()).isTrue();
        assertThatExceptionOfType(BadLineException.class).isThrownBy(reader::next);
        assertThat(reader.next()).isEqualTo(end.contains("6"));
        assertThat(reader.line()).isEqualTo(end.contains("6") ? 3 : 2);
      }
    }
  }

  @Test
  void refusesALineThatIsTooLongBeforeItsEnd() throws IOException {
    InputStream endless =
        new InputStream() {
          private int left = 2 << 20;

          @Override
          public int read() throws IOException {
            throw new IOException("read on");
          }

          @Override
          public int read(byte[] target, int from, int length) throws IOException {
            int read = Math.min(left, length);
            if (read == 0) {
              return read();
            }
            Arrays.fill(target, from, from + read, (byte) '7');
            left -= read;
            return read;
          }
        };
    LineReader reader = new LineReader("ids", endless, LineFormat.PLAIN);
    assertThatExceptionOfType(BadLineException.class).isThrownBy(reader::next);
    assertThat(reader.bytes()).isEqualTo(1 << 20);
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(reader::next)
        .withMessage("ids: read on");
  }
}
