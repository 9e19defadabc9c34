package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.decode.Decoder;
import io.firn.decode.Reading;
import io.firn.text.IdFormat;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine.Help.Ansi;

final class BitPictureTest {

  static Iterable<Map.Entry<String, IdLayout>> named() {
    return IdLayout.named().entrySet();
  }

  @Test
  void groupsTheBitsByFieldAboveTheirLetters() {
    assertThat(
            new BitPicture(IdLayout.TWITTER, Ansi.OFF, 100)
                .of(IdFormat.BINARY.format(1541815603606036480L)))
        .isEqualTo(
            """
              0 00101010110010110100001000111110110001000 01011 11010 000000000000
              - ttttttttttttttttttttttttttttttttttttttttt ddddd wwwww ssssssssssss
            """);
  }

  @Test
  void keepsTheOrderOfTheFields() {
    assertThat(new BitPicture(IdLayout.SEATA, Ansi.OFF, 100).ruler())
        .isEqualTo("  - wwwwwwwwww ttttttttttttttttttttttttttttttttttttttttt ssssssssssss\n");
  }

  @Test
  void breaksFieldsOfWideIdsAfter64Bits() {
    Reading reading = new Decoder(Session.NOW).decode("507f1f77bcf86cd799439011").get(0);
    assertThat(new BitPicture(reading, Ansi.OFF, 100).of(reading.binary()))
        .isEqualTo(
            """
              01010000011111110001111101110111 101111001111100001101100 11010111
              tttttttttttttttttttttttttttttttt mmmmmmmmmmmmmmmmmmmmmmmm pppppppp
              10011001 010000111001000000010001
              pppppppp cccccccccccccccccccccccc
            """);
  }

  @Test
  void paintsEachFieldInItsOwnColor() {
    assertThat(new BitPicture(IdLayout.TWITTER, Ansi.ON, 100).ruler())
        .contains("\u001b[36mttt", "\u001b[35mddddd", "\u001b[33mwwwww", "\u001b[32mssss");
  }

  @ParameterizedTest
  @MethodSource("named")
  void drawsAllSixtyFourBitsOfEveryNamedLayout(Map.Entry<String, IdLayout> named) {
    String ruler = new BitPicture(named.getValue(), Ansi.OFF, 100).ruler();
    assertThat(ruler.replaceAll("\\s", "")).hasSize(64);
    for (Kind kind : Kind.values()) {
      char letter = kind.label().charAt(0);
      assertThat(ruler.chars().filter(c -> c == letter)).hasSize(named.getValue().bits(kind));
    }
  }
}
