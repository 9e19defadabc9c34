package io.firn.server.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RespDecoderTest {

  private static final int MAX_BYTES = 100;

  @Test
  void readsAnArrayOfBulkStrings() {
    assertThat(decode("*2\r\n$4\r\nINCR\r\n$6\r\norders\r\n"))
        .containsExactly(List.of("INCR", "orders"));
  }

  @Test
  void readsBytesThatLookLikeTheProtocolAsBytes() {
    assertThat(decode("*2\r\n$4\r\nECHO\r\n$8\r\n*1\r\n$1\r\n\r\n"))
        .containsExactly(List.of("ECHO", "*1\r\n$1\r\n"));
  }

  @Test
  void readsAnEmptyArgument() {
    assertThat(decode("*2\r\n$4\r\nECHO\r\n$0\r\n\r\n")).containsExactly(List.of("ECHO", ""));
  }

  @Test
  void readsOneCommandBehindTheOther() {
    assertThat(decode("*1\r\n$4\r\nPING\r\nPING\r\n*1\r\n$4\r\nQUIT\r\n"))
        .containsExactly(List.of("PING"), List.of("PING"), List.of("QUIT"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"\r\n", "\n", "*0\r\n", "*-1\r\n", " \t \r\n", "*0\r\n\r\n*0\r\n"})
  void skipsWhatIsNoCommand(String nothing) {
    assertThat(decode(nothing + "PING\r\n")).containsExactly(List.of("PING"));
  }

  @Test
  void refusesTooManyEmptyCommandsInARow() {
    String most = "\r\n*0\r\n".repeat(RespDecoder.MAX_EMPTY / 2);
    assertThat(decode((most + "PING\r\n").repeat(2)))
        .containsExactly(List.of("PING"), List.of("PING"));
    refuses(
        most + "\r\n", "Protocol error: too many empty commands (expected: at most 1024 in a row)");
  }

  @Test
  void splitsALineAsRedisDoes() {
    splits("INCR orders", "INCR", "orders");
    splits("  INCR \t orders  ", "INCR", "orders");
    splits("ECHO \"a b\"", "ECHO", "a b");
    splits("ECHO 'a b'", "ECHO", "a b");
    splits("ECHO \"\\x41\\xfF\\n\\r\\t\\b\\a\\\"\\q\"", "ECHO", "A\u00ff\n\r\t\b\u0007\"q");
    splits("ECHO \"\\x4\"", "ECHO", "x4");
    splits("ECHO 'a\\'b\\n'", "ECHO", "a'b\\n");
    splits("ECHO \"\"", "ECHO", "");
    splits("ab\"c d\"", "abc d");
  }

  private static void splits(String line, String... words) {
    assertThat(decode(line + "\r\n")).containsExactly(List.of(words));
    assertThat(decode(line + "\n")).containsExactly(List.of(words));
  }

  @ParameterizedTest
  @ValueSource(strings = {"ECHO \"a", "ECHO 'a", "ECHO \"a\"b", "ECHO 'a'b", "ECHO \"a\\\""})
  void refusesALineWithUnbalancedQuotes(String line) {
    refuses(line + "\r\n", "Protocol error: unbalanced quotes in request");
  }

  @Test
  void refusesAnythingButBulkStringsInAnArray() {
    refuses("*1\r\n*1\r\n$1\r\na\r\n", "Protocol error: expected '$', got '*'");
    refuses("*1\r\n:5\r\n", "Protocol error: expected '$', got ':'");
    refuses("*1\r\n\u0001", "Protocol error: expected '$', got '?'");
    refuses("*1\r\n\u00ff", "Protocol error: expected '$', got '?'");
    refuses("*2\r\n$1\r\na\r\nb", "Protocol error: expected '$', got 'b'");
  }

  @Test
  void refusesNestingAtItsFirstByte() {
    refuses("*1\r\n*".repeat(1000), "Protocol error: expected '$', got '*'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*1025\r\n",
        "*2147483648\r\n",
        "*99999999999\r\n",
        "*999999999999999999999\r\n",
        "*a\r\n",
        "*1a\r\n",
        "*--1\r\n",
        "*1-\r\n",
        "*\r\n",
        "*1\rx",
        "* 1\r\n"
      })
  void refusesALengthOfAnArrayThatIsNone(String bytes) {
    refuses(bytes, "Protocol error: invalid multibulk length (expected: at most 1024 arguments)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$-1\r\n",
        "$2147483647\r\n",
        "$2147483648\r\n",
        "$4294967296\r\n",
        "$99999999999\r\n",
        "$x\r\n",
        "$\r\n",
        "$1\n"
      })
  void refusesALengthOfABulkStringBeforeItComes(String bytes) {
    refuses(
        "*1\r\n" + bytes,
        "Protocol error: invalid bulk length (expected: at most 100 bytes in a request)");
  }

  @Test
  void refusesABulkStringWithoutItsLineEnd() {
    refuses("*1\r\n$4\r\nPINGxx", "Protocol error: expected a line's end behind the bulk string");
  }

  @Test
  void takesARequestOfAsManyBytesAsPermittedAndNoMore() {
    assertThat(decode(echo(99))).hasSize(1);
    assertThat(decode(echo(100))).hasSize(1);
    refuses(
        echo(101),
        "Protocol error: invalid bulk length (expected: at most 100 bytes in a request)");
  }

  /** An ECHO of that many bytes in all. */
  private static String echo(int bytes) {
    String head = "*2\r\n$4\r\nECHO\r\n$";
    int length = bytes - head.length() - 2 - 2 - 2;
    return head + length + "\r\n" + "x".repeat(length) + "\r\n";
  }

  @Test
  void takesALineOfAsManyBytesAsPermittedAndNoMore() {
    assertThat(decode("x".repeat(98) + "\n")).hasSize(1);
    assertThat(decode("x".repeat(99) + "\n")).hasSize(1);
    String message =
        "Protocol error: too big inline request (expected: at most 100 bytes in a request)";
    refuses("x".repeat(100) + "\n", message);
    refuses("x".repeat(101), message);
  }

  @Test
  void takesAsManyArgumentsAsPermittedAndNoMore() {
    for (int count : new int[] {1023, 1024}) {
      String array = "*" + count + "\r\n" + "$1\r\na\r\n".repeat(count);
      assertThat(decode(array, 1 << 20).get(0)).hasSize(count);
      assertThat(decode("a ".repeat(count) + "\n", 1 << 20).get(0)).hasSize(count);
    }
    assertThatExceptionOfType(ProtocolError.class)
        .isThrownBy(() -> decode("a ".repeat(1025) + "\n", 1 << 20))
        .withMessage("Protocol error: too many words (expected: at most 1024)");
  }

  @Test
  void skipsTheSameCommandAsOftenAsItFollows() {
    ByteBuf in =
        Unpooled.copiedBuffer("*1\r\n$1\r\na\r\n".repeat(5) + "*1\r\n$1\r\nb\r\n*1", ISO_8859_1);
    RespDecoder decoder = new RespDecoder(MAX_BYTES);
    assertThat(decoder.decode(in)).isTrue();
    assertThat(decoder.skipRepeats(in, 3)).isEqualTo(3);
    assertThat(decoder.skipRepeats(in, 0)).isZero();
    assertThat(decoder.skipRepeats(in, 3)).isEqualTo(1);
    assertThat(decoder.text(0)).isEqualTo("a");
    assertThat(decoder.decode(in)).isTrue();
    assertThat(decoder.text(0)).isEqualTo("b");
    assertThat(decoder.skipRepeats(in, 3)).isZero();
    assertThat(decoder.decode(in)).isFalse();
  }

  private static void refuses(String bytes, String message) {
    assertThatExceptionOfType(ProtocolError.class)
        .isThrownBy(() -> decode(bytes))
        .withMessage(message);
  }

  private static List<List<String>> decode(String bytes) {
    return decode(bytes, MAX_BYTES);
  }

  private static List<List<String>> decode(String bytes, int maxBytes) {
    return drain(new RespDecoder(maxBytes), Unpooled.copiedBuffer(bytes, ISO_8859_1));
  }

  /** The commands that can be read now. */
  static List<List<String>> drain(RespDecoder decoder, ByteBuf in) {
    List<List<String>> commands = new ArrayList<>();
    while (decoder.decode(in)) {
      commands.add(
          IntStream.range(0, decoder.count())
              .mapToObj(i -> new String(decoder.bytes(i), ISO_8859_1))
              .toList());
    }
    return commands;
  }
}
