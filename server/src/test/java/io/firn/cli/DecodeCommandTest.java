package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DecodeCommandTest {

  private static final String DISCORD_JSON =
      "{\"id\":\"175928847299117063\",\"kind\":\"number\",\"layout\":\"discord\",\"time\":\"2016-04-30T11:18:25.796Z\","
          + "\"timestamp_ms\":1462015105796,\"datacenter\":1,\"worker\":0,\"sequence\":7";

  private final Session session = new Session();

  @Test
  void helpNamesTheOptionsWithoutWhichNoStoreIsAsked() {
    assertThat(session.run("decode", "--help")).isZero();
    assertThat(session.out().replaceAll("\\s+", " "))
        .contains("With --store or --namespace, the layouts of that store's namespaces")
        .contains("without either, no store is asked.");
  }

  @Test
  void explainsAnIdOfAKnownLayout() {
    assertThat(session.run("decode", "175928847299117063", "--layout", "discord")).isZero();
    assertThat(session.out())
        .isEqualTo(
            """
            175928847299117063  discord 42t+5d+5w+12s@2015-01-01T00:00:00Z/1ms

              time        2016-04-30T11:18:25.796Z
                          2016-04-30 13:18:25.796 +02:00 Europe/Zurich
                          10 years 6 months ago
              datacenter  1
              worker      0
              sequence    7

              000000100111000100000110010110101100000100 00001 00000 000000000111
              tttttttttttttttttttttttttttttttttttttttttt ddddd wwwww ssssssssssss

            """);
    assertThat(session.err()).isEmpty();
  }

  @Test
  void showsThePlausibleFamiliesWhereNoLayoutIsGiven() {
    assertThat(session.run("decode", "175928847299117063")).isZero();
    assertThat(session.out())
        .startsWith("175928847299117063  discord 42t+5d+5w+12s@2015-01-01T00:00:00Z/1ms\n")
        .endsWith(
            """
              tttttttttttttttttttttttttttttttttttttttttt ddddd wwwww ssssssssssss

            No layout was given; discord is the most plausible one: its IDs are public, low sequence.
            Others fit too, in this order:

              twitter         2012-03-03T13:01:20.453Z  14 years 8 months ago
                              datacenter 1, worker 0, sequence 7; its IDs are public, low sequence
              leaf            2012-03-03T13:01:20.453Z  14 years 8 months ago
                              worker 32, sequence 7; low sequence
              sonyflake       2017-12-27T16:16:04.490Z  8 years 10 months ago
                              sequence 2, worker 7; low sequence
              hazelcast       2019-05-01T11:18:25.796Z  7 years 6 months ago
                              sequence 2, worker 7; low sequence
              then instagram, tsid, cosid, shardingsphere, pgedge, baidu

            The bits alone cannot distinguish these; they are split in the same way:
              discord, twitter, leaf, tsid, cosid, shardingsphere
            If you know the layout, give it: --layout NAME

            """);
  }

  @ParameterizedTest
  @CsvSource({
    "175928847299117063, discord, 2016-04-30T11:18:25.796Z, 1, 0, 7",
    "1541815603606036480, twitter, 2022-06-28T16:07:40.105Z, 11, 26, 0",
    "1212092628029698048, twitter, 2019-12-31T19:26:16.771Z, 10, 7, 0",
    "1116766490855473152, leaf, 2019-04-12T18:14:14.595Z, null, 0, 0",
    "11637205501278089, instagram, 2011-09-09T22:28:04.721Z, null, 1341, 905",
  })
  void decodesRealIds(
      String id, String layout, String time, String datacenter, long worker, long sequence) {
    assertThat(session.run("decode", "--json", "--layout", layout, id)).isZero();
    assertThat(session.out())
        .startsWith(
            "{\"id\":\""
                + id
                + "\",\"kind\":\"number\",\"layout\":\""
                + layout
                + "\",\"time\":\""
                + time
                + "\",")
        .endsWith(
            ",\"datacenter\":"
                + datacenter
                + ",\"worker\":"
                + worker
                + ",\"sequence\":"
                + sequence
                + ",\"also\":[]}\n");
  }

  @Test
  void writesOneObjectALine() {
    assertThat(session.run("decode", "--json", "--layout", "discord", "175928847299117063", "7"))
        .isZero();
    assertThat(session.out().lines().toList())
        .containsExactly(
            DISCORD_JSON + ",\"also\":[]}",
            "{\"id\":\"7\",\"kind\":\"number\",\"layout\":\"discord\",\"time\":\"2015-01-01T00:00:00.000Z\","
                + "\"timestamp_ms\":1420070400000,\"datacenter\":0,\"worker\":0,\"sequence\":7,\"also\":[]}");
  }

  @Test
  void namesTheOtherFamiliesInJsonWhereNoLayoutIsGiven() {
    assertThat(session.run("decode", "--json", "175928847299117063")).isZero();
    assertThat(session.out())
        .isEqualTo(
            DISCORD_JSON
                + ",\"also\":[\"twitter\",\"leaf\",\"sonyflake\",\"hazelcast\",\"instagram\",\"tsid\","
                + "\"cosid\",\"shardingsphere\",\"pgedge\",\"baidu\"]}\n");
  }

  @Test
  void namesALayoutWithoutANameByItsTextFormInJson() {
    String layout = "40t+4w+4s@2026-01-01T00:00:00Z/10ms";
    assertThat(session.run("decode", "--json", "--layout", layout, "300")).isZero();
    assertThat(session.out())
        .isEqualTo(
            "{\"id\":\"300\",\"kind\":\"number\",\"layout\":\""
                + layout
                + "\",\"time\":\"2026-01-01T00:00:00.010Z\",\"timestamp_ms\":1767225600010,"
                + "\"datacenter\":null,\"worker\":2,\"sequence\":12,\"also\":[]}\n");
  }

  @Test
  void readsIdsFromItsInput() {
    session.in(" 175928847299117063\n\n7\t8\r\n9");
    assertThat(session.run("decode", "--json", "--layout", "discord")).isZero();
    assertThat(session.out().lines()).hasSize(4);
  }

  @Test
  void saysNothingAboutAnEmptyInput() {
    assertThat(session.in("").run("decode")).isZero();
    assertThat(session.out()).isEmpty();
  }

  @Test
  void decodesTheOthersWhenOneIdIsBad() {
    assertThat(
            session.run("decode", "--json", "--layout", "discord", "12a", "175928847299117063", ""))
        .isEqualTo(2);
    assertThat(session.out()).isEqualTo(DISCORD_JSON + ",\"also\":[]}\n");
    assertThat(session.err())
        .isEqualTo(
            """
            firn: decimal: 12a (expected: a digit of base 10 at position 3)
            firn: decimal:  (expected: 1..20 characters)
            Try: firn decode --help
            """);
  }

  @Test
  void refusesAnIdThatDoesNotFitTheLayout() {
    assertThat(session.run("decode", "--layout", "js_safe", "9007199254740992")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            "firn: id: 9007199254740992 (expected: 0..9007199254740991, the layout is"
                + " 38t+7w+8s@2026-01-01T00:00:00Z/10ms)\nTry: firn decode --help\n");
    assertThat(new Session().run("decode", "--layout", "js_safe", "9007199254740991")).isZero();
  }

  @Test
  void refusesAnIdThatNoNamedLayoutExplains() {
    assertThat(session.run("decode", "18446744073709551615")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            "firn: id: 18446744073709551615 (expected: a time between the epoch and next week in"
                + " some named layout, or a layout)\nTry: firn decode --help\n");
  }

  @Test
  void readsOtherFormats() {
    for (List<String> args :
        List.of(List.of("0x271065ac1020007"), List.of("--format", "hex", "0271065ac1020007"))) {
      Session each = new Session();
      assertThat(each.run(command(args))).isZero();
      assertThat(each.out()).isEqualTo(DISCORD_JSON + ",\"also\":[]}\n");
    }
  }

  private static String[] command(List<String> args) {
    return java.util.stream.Stream.concat(
            java.util.stream.Stream.of("decode", "--json", "--layout", "discord"), args.stream())
        .toArray(String[]::new);
  }

  @Test
  void readsWhatNextWritesInAnyFormat() {
    session.run("next", "-n", "3", "--worker", "5", "--format", "base32");
    Session reader = new Session().in(session.out());
    assertThat(reader.run("decode", "--json", "--layout", "classic", "--format", "base32"))
        .isZero();
    assertThat(reader.out().lines()).hasSize(3).allMatch(line -> line.contains("\"worker\":5,"));
  }

  @Test
  void explainsAWideId() {
    assertThat(session.run("decode", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F")).isZero();
    assertThat(session.out())
        .isEqualTo(
            """
            017f22e2-79b0-7cc3-98c4-dc0c0c07398f  UUID of version 7: time and random bits

              time        2022-02-22T19:22:22.000Z
                          2022-02-22 20:22:22.000 +01:00 Europe/Zurich
                          4 years 8 months ago
              rand_a      cc3
              rand_b      18c4dc0c0c07398f

              000000010111111100100010111000100111100110110000 0111 110011000011
              tttttttttttttttttttttttttttttttttttttttttttttttt vvvv rrrrrrrrrrrr
              10 01100011000100110111000000110000001100000001110011100110001111
              vv rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr

            Read as uuid: version 7 in its place.

            """);
  }

  @Test
  void showsWhatElseATextMayBe() {
    assertThat(session.run("decode", "order_01h455vb4pex5vsknk084sn02q")).isZero();
    assertThat(session.out())
        .startsWith("01890a5d-ac96-774b-bcce-b302099a8057  UUID of version 7")
        .endsWith(
            """
            Read as base32 behind order_: version 7 in its place.
            Others fit too, in this order:

              ulid            2023-06-30T03:34:18.518Z  3 years 4 months ago
                              as ulid behind order_; random 774bbcceb302099a8057; 26 characters of base 32

            """);
  }

  @Test
  void explainsAnIdWithoutATime() {
    assertThat(session.run("decode", "919108f752d143209bacf847db4148a8")).isZero();
    assertThat(session.out())
        .isEqualTo(
            """
            919108f7-52d1-4320-9bac-f847db4148a8  UUID of version 4: random

              random_a    919108f752d1
              random_b    320
              random_c    1bacf847db4148a8

              100100011001000100001000111101110101001011010001 0100 001100100000
              rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr vvvv rrrrrrrrrrrr
              10 01101110101100111110000100011111011011010000010100100010101000
              vv rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr

            Read as uuid: version 4 in its place.

            """);
  }

  @Test
  void namesTheFormWhereItIsNotDecimal() {
    assertThat(session.run("decode", "4jgmnx8Js8A")).isZero();
    assertThat(session.out())
        .contains(
            "\nRead as base58. No layout was given; discord is the most plausible one: its IDs are"
                + " public, worker 0, low sequence.\n",
            "\n                  as base62; worker ");
  }

  @Test
  void writesWideIdsInJson() {
    session.run("decode", "--json", "507f1f77bcf86cd799439011", "01h455vb4pex5vsknk084sn02q");
    assertThat(session.out())
        .isEqualTo(
            """
            {"id":"507f1f77bcf86cd799439011","kind":"wide","type":"objectid","time":"2012-10-17T21:13:27.000Z",\
            "timestamp_ms":1350508407000,"parts":{"machine":"bcf86c","process":"55193","counter":"4427793"},"also":[]}
            {"id":"01890a5d-ac96-774b-bcce-b302099a8057","kind":"wide","type":"uuid7",\
            "time":"2023-06-30T03:34:18.518Z","timestamp_ms":1688096058518,\
            "parts":{"version":"7","rand_a":"74b","variant":"2","rand_b":"3cceb302099a8057"},"also":["ulid as ulid"]}
            """);
  }

  @Test
  void showsAllReadingsWhereAskedTo() {
    assertThat(session.run("decode", "--all", "175928847299117063")).isZero();
    assertThat(session.out())
        .contains(
            "\n  baidu           2016-07-17T22:16:43.000Z  10 years 4 months ago\n",
            """
              seata           2057-05-29T14:27:59.648Z  in 30 years 6 months
                              worker 19, sequence 7; later than next week, low sequence
            """)
        .doesNotContain("  then ");
  }

  @Test
  void writesAllReadingsInJsonWithTheirGrounds() {
    assertThat(session.run("decode", "--all", "--json", "18446744073709551615")).isZero();
    assertThat(session.out().lines())
        .hasSizeGreaterThan(2)
        .allMatch(line -> line.contains("\"form\":\"decimal\",\"plausible\":false,\"reasons\":["));
  }

  @ParameterizedTest
  @CsvSource({"29700859246, true", "29700859247, false"})
  void notesThatLowIdsPredateSnowflakes(String id, boolean noted) {
    session.run("decode", id);
    assertThat(
            session
                .out()
                .contains("IDs below about 29700859247 are older than snowflakes on Twitter"))
        .isEqualTo(noted);
  }

  @ParameterizedTest
  @CsvSource({
    "1050118621198921700, true",
    "1050118621198921728, false",
    "9007199254741000, true",
    "9007199254740900, false"
  })
  void notesThatJavaScriptMayHaveRoundedAnIdThatEndsInZeros(String id, boolean noted) {
    session.run("decode", id);
    assertThat(session.out().contains("It ends in 00: JavaScript may have rounded"))
        .isEqualTo(noted);
  }

  @Test
  void colorsTheFieldsOnATerminal() {
    session.colored().run("decode", "175928847299117063", "--layout", "discord");
    assertThat(session.out()).contains("\u001b[33mworker\u001b[", "\u001b[33m00000\u001b[");
  }

  @Test
  void saysInHowLongAnIdOfTheFutureIsDue() {
    long id = IdLayout.CLASSIC.minId(Session.NOW.plusSeconds(3));
    session.run("decode", Long.toString(id), "--layout", "classic");
    assertThat(session.out()).contains("              in 3 s\n");
  }

  @Test
  void ranksTheNamespacesOfTheStoreFirst(@TempDir Path directory) {
    String store = "file:" + directory;
    session.run("next", "--store", store, "--layout", "hazelcast", "--namespace", "parts");
    String id = session.out().strip();
    session.run("decode", id);
    assertThat(session.out()).doesNotContain("parts");
    assertThat(session.run("decode", "--store", store, id)).isZero();
    assertThat(session.out())
        .contains(id + "  hazelcast 41t+6s+16w@2018-01-01T00:00:00Z/1ms, namespace parts\n")
        .contains("hazelcast is the most plausible one: recent, the layout of parts, worker ")
        .contains(" was held in parts");
  }

  @Test
  void refusesANamespaceWithoutLeases(@TempDir Path directory) {
    assertThat(session.run("decode", "--store", "file:" + directory, "--namespace", "x", "1"))
        .isEqualTo(2);
    assertThat(session.err()).contains("firn: namespace: x (expected: one that has leases)");
  }

  @Test
  void saysThatItWaitsForInputOnATerminal() {
    Session terminal = new Session().terminal().in("175928847299117063");
    assertThat(terminal.run("decode", "--json")).isZero();
    assertThat(terminal.err())
        .isEqualTo(
            "Reading IDs from the terminal, separated by spaces or newlines; Ctrl-D ends"
                + " the input.\n");
    Session piped = new Session().in("175928847299117063");
    piped.run("decode", "--json");
    assertThat(piped.err()).isEmpty();
  }
}
