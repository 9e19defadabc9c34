package io.firn.server.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Trials;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** Bytes of every kind, in pieces of every size. */
final class RespDecoderTrialsTest {

  private static final int MAX_BYTES = 200;

  /** Bytes, and where they are cut. */
  private record Pieces(String bytes, List<Integer> cuts) {}

  @Test
  void findsTheSameCommandsHoweverTheBytesAreCut() {
    Trials.check(
        "cut commands", 5_000, RespDecoderTrialsTest::commands, RespDecoderTrialsTest::same);
  }

  @Test
  void saysTheSameOfRubbishHoweverItIsCut() {
    Trials.check(
        "cut rubbish", 20_000, RespDecoderTrialsTest::rubbish, RespDecoderTrialsTest::same);
  }

  @Test
  void readsBackWhatWasWritten() {
    Trials.check(
        "commands",
        2_000,
        RespDecoderTrialsTest::arguments,
        commands -> assertThat(outcome(List.of(encode(commands)))).isEqualTo(commands.toString()));
  }

  private static void same(Pieces pieces) {
    assertThat(outcome(cut(pieces))).isEqualTo(outcome(List.of(pieces.bytes())));
  }

  /** The commands, and the error that ends them if there is one. */
  private static String outcome(List<String> pieces) {
    RespDecoder decoder = new RespDecoder(MAX_BYTES);
    List<List<String>> commands = new ArrayList<>();
    ByteBuf in = Unpooled.buffer();
    try {
      for (String piece : pieces) {
        ByteBuf larger = Unpooled.buffer(in.readableBytes() + piece.length());
        larger.writeBytes(in).writeBytes(piece.getBytes(ISO_8859_1));
        in = larger;
        commands.addAll(RespDecoderTest.drain(decoder, in));
      }
    } catch (ProtocolError e) {
      return e.getMessage();
    }
    return commands.toString();
  }

  private static List<String> cut(Pieces pieces) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    for (int cut : pieces.cuts()) {
      parts.add(pieces.bytes().substring(from, cut));
      from = cut;
    }
    parts.add(pieces.bytes().substring(from));
    return parts;
  }

  private static Pieces commands(RandomGenerator random) {
    return pieces(encode(arguments(random)), random);
  }

  private static List<List<String>> arguments(RandomGenerator random) {
    List<List<String>> commands = new ArrayList<>();
    for (int left = random.nextInt(5); left >= 0; left--) {
      List<String> command = new ArrayList<>();
      for (int words = random.nextInt(4); words >= 0; words--) {
        command.add(text(random, random.nextInt(20)));
      }
      commands.add(command);
    }
    return commands;
  }

  private static String encode(List<List<String>> commands) {
    StringBuilder bytes = new StringBuilder();
    for (List<String> command : commands) {
      bytes.append('*').append(command.size()).append("\r\n");
      command.forEach(
          word ->
              bytes.append('$').append(word.length()).append("\r\n").append(word).append("\r\n"));
    }
    return bytes.toString();
  }

  /** Mostly tokens of the protocol, so that much of it is nearly right. */
  private static Pieces rubbish(RandomGenerator random) {
    String[] tokens = {
      "*1", "*2", "*0", "*-1", "$1", "$0", "$3", "$200", "$-1", "\r\n", "\r\n", "\r\n", "\r", "\n",
      "a", "abc", "INCR", " ", "\"", "'", "\\x41", "\0", "\u00ff", "9", "-", "*", "$"
    };
    StringBuilder bytes = new StringBuilder();
    for (int left = random.nextInt(40); left >= 0; left--) {
      bytes.append(
          random.nextInt(10) == 0 ? text(random, 3) : tokens[random.nextInt(tokens.length)]);
    }
    return pieces(bytes.toString(), random);
  }

  private static String text(RandomGenerator random, int length) {
    StringBuilder text = new StringBuilder();
    while (text.length() < length) {
      text.append((char) random.nextInt(256));
    }
    return text.toString();
  }

  private static Pieces pieces(String bytes, RandomGenerator random) {
    List<Integer> cuts = new ArrayList<>();
    boolean everywhere = random.nextInt(3) == 0;
    for (int at = 0; at <= bytes.length(); at++) {
      if (everywhere || random.nextInt(5) == 0) {
        cuts.add(at);
      }
    }
    return new Pieces(bytes, cuts);
  }
}
