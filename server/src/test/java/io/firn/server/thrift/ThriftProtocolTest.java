package io.firn.server.thrift;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import io.firn.server.SwitchedStores;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Twitter's protocol, byte for byte. Frames are in hexadecimal, texts in single quotes. */
@Timeout(60)
final class ThriftProtocolTest {

  private static final String CALL = "80010001 00000006 'get_id' 00000001 0B0001 00000003 'foo' 00";
  private static final String PLAIN_ARGUMENTS = "0B0001 00000001 'a' 00";
  private static final int MOST = 1024;

  private static RunningServer server;

  @BeforeAll
  static void start() {
    server =
        RunningServer.start(
            "thrift",
            ThriftProtocol::new,
            "limits: {request-size: 1KiB}",
            "namespaces: {default: {layout: twitter, datacenter: 11, worker: 26}}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @Test
  void aCallIsAnsweredAsTwitterDid() {
    String frame = "0000001D 80010001 00000006 6765745F6964 00000001 0B0001 00000003 666F6F 00";
    assertThat(bytes(frame)).isEqualTo(frame(CALL));
    try (RawClient client = server.connect()) {
      client.send(bytes(frame));
      String reply = HexFormat.of().withUpperCase().formatHex(read(client));
      assertThat(reply)
          .matches("80010002000000066765745F6964000000010A0000[0-9A-F]{16}00")
          .hasSize(2 * 0x1E);
    }
  }

  @Test
  void aCallWithoutAVersionIsAnsweredWithout() {
    assertThat(answer("00000006 'get_id' 01 00000007" + PLAIN_ARGUMENTS))
        .matches("\0\0\0\6get_id\2\0\0\0\7\n\0\0(?s:.{8})\0");
  }

  @Test
  void theOtherCallsAnswerNumbers() {
    assertThat(number("get_worker_id", "00")).isEqualTo(26);
    assertThat(number("get_datacenter_id", "00")).isEqualTo(11);
    long before = System.currentTimeMillis();
    assertThat(number("get_timestamp", "00")).isBetween(before, System.currentTimeMillis());
  }

  @Test
  void callsMayComeInOneFrameAfterTheOtherOrInPieces() {
    try (RawClient client = server.connect()) {
      String calls = new String(frame(CALL), ISO_8859_1).repeat(1_000);
      client.send(calls);
      long last = 0;
      for (int i = 0; i < 1_000; i++) {
        long id = number(read(client));
        assertThat(id).isGreaterThan(last);
        last = id;
      }
      for (byte one : frame(CALL)) {
        client.send(new byte[] {one});
      }
      assertThat(number(read(client))).isGreaterThan(last);
    }
  }

  @Test
  void unknownFieldsAreSkipped() {
    String fields =
        "020005 01" // bool
            + "030006 7F" // byte
            + "040007 3FF0000000000000" // double
            + "060008 0102" // i16
            + "080009 01020304" // i32
            + "0A000A 0102030405060708" // i64
            + "0B000B 00000002 'xy'" // string
            + "0C000C 0B0001 00000001 'z' 00" // struct
            + "0D000D 0B 08 00000001 00000001 'k' 00000002" // map
            + "0E000E 03 00000003 010203" // set
            + "0F000F 0C 00000002 0000"; // list of structs
    assertThat(number("get_id", fields + PLAIN_ARGUMENTS)).isPositive();
    assertThat(number("get_timestamp", fields + "00")).isPositive();
  }

  @Test
  void nestingIsSkippedToTheDepthThatThriftItselfAllows() {
    assertThat(number("get_id", nested(63) + PLAIN_ARGUMENTS)).isPositive();
    assertThat(number("get_id", nested(64) + PLAIN_ARGUMENTS)).isPositive();
    assertThat(answer(head("get_id") + nested(65) + PLAIN_ARGUMENTS))
        .isEqualTo(exception("get_id", "depth: 65 (expected: at most 64)", 7));
  }

  /** Lists in lists, the innermost of which is empty. */
  private static String nested(int depth) {
    return "0F0002" + "0F 00000001".repeat(depth - 1) + "0F 00000000";
  }

  @Test
  void aBadUserAgentIsRefusedWithAReason() {
    for (String userAgent : new String[] {"1a", "", "a_b", "-a", "a b", "a\n"}) {
      assertThat(answer(head("get_id") + "0B0001" + text(userAgent) + "00"))
          .isEqualTo(
              exception(
                  "get_id",
                  "useragent: " + userAgent + " (expected: a letter, then letters, digits and -)",
                  6));
    }
    assertThat(answer(head("get_id") + "0B0001" + text("_".repeat(900)) + "00"))
        .as("as short for a long one")
        .hasSizeLessThan(900);
    assertThat(answer(head("get_id") + "00"))
        .isEqualTo(
            exception(
                "get_id", "useragent: none (expected: a letter, then letters, digits and -)", 6));
    for (String userAgent : new String[] {"a", "Z", "a-", "snow-flake-2010"}) {
      assertThat(number("get_id", "0B0001" + text(userAgent) + "00")).isPositive();
    }
  }

  @Test
  void anUnknownMethodIsRefusedWithTheKnownOnes() {
    assertThat(answer(head("get_ids") + "00"))
        .isEqualTo(
            exception(
                "get_ids",
                "method: get_ids (expected: get_id, get_worker_id, get_datacenter_id or"
                    + " get_timestamp)",
                1));
  }

  @Test
  void onlyCallsAreAnswered() {
    for (int type : new int[] {0, 2, 3, 5}) {
      assertThat(answer("8001000" + type + " 00000006 'get_id' 00000001" + PLAIN_ARGUMENTS))
          .isEqualTo(
              exception(
                  "get_id",
                  "type: " + type + " (expected: 1, a call, or 4, one without an answer)",
                  2));
    }
  }

  @Test
  void aCallWithoutAnAnswerGetsNone() {
    try (RawClient client = server.connect()) {
      client.send(frame("80010004 00000006 'get_id' 00000001" + PLAIN_ARGUMENTS));
      client.send(frame("80010004 00000006 'get_it' 00000001 00"));
      client.send(frame(head("get_worker_id") + "00"));
      assertThat(number(read(client))).isEqualTo(26);
    }
  }

  @Test
  void unreadableCallIsReportedAndTheNextOneIsAnswered() {
    for (String cut :
        new String[] {
          "",
          "80",
          "80010001 000000FF 'get_id'",
          "80010001 FFFFFFFF",
          "000000FF 'x'",
          head("get_id") + "0B0001 7FFFFFFF",
          head("get_id") + "0B0002 FFFFFFFF",
          head("get_id") + "0F0001 0B 7FFFFFFF",
          head("get_id") + "0B0001 00000001 'a'",
        }) {
      try (RawClient client = server.connect()) {
        client.send(frame(cut)).send(frame(CALL));
        assertThat(new String(read(client), ISO_8859_1))
            .as(cut)
            .endsWith(exceptionFields("frame: cut short (expected: a whole call)", 7));
        assertThat(number(read(client))).isPositive();
      }
    }
    assertThat(answer("80020001 00000006 'get_id' 00000001" + PLAIN_ARGUMENTS))
        .endsWith(exceptionFields("version: 80020001 (expected: 8001)", 7));
    assertThat(answer(head("get_id") + "630001 00"))
        .isEqualTo(exception("get_id", "type: 99 (expected: one of Thrift's)", 7));
  }

  @Test
  void aLongFrameIsRefused() {
    for (int length : new int[] {MOST - 1, MOST}) {
      assertThat(number("get_id", filledTo(length))).isPositive();
    }
    for (String frame : new String[] {"00000401", "7FFFFFFF", "80010001", "FFFFFFFF"}) {
      try (RawClient client = server.connect()) {
        client.send(bytes(frame));
        String reason =
            "frame: "
                + Long.parseLong(frame, 16)
                + " bytes (expected: at most 1024, in framed transport)";
        assertThat(new String(read(client), ISO_8859_1)).endsWith(exceptionFields(reason, 7));
        assertThat(client.rest()).isEmpty();
      }
    }
  }

  @Test
  void newConnectionsHaveTheLimitsOfAReload() {
    String store = "store: 'switched:thrift-limits'";
    try (RunningServer reloaded = RunningServer.start("thrift", ThriftProtocol::new, store)) {
      assertThat(number(answer(reloaded, head("get_id") + filledTo(MOST + 1)))).isPositive();
      reloaded
          .server()
          .reloadFrom(() -> RunningServer.config("thrift", store, "limits: {request-size: 1KiB}"));
      reloaded.server().service().current().reload();
      try (RawClient client = reloaded.connect()) {
        client.send(bytes("00000401"));
        assertThat(new String(read(client), ISO_8859_1))
            .contains("frame: 1025 bytes (expected: at most 1024, in framed transport)");
      }
    }
  }

  /** Arguments with which a call of get_id is a frame of that length. */
  private static String filledTo(int length) {
    int rest = length - bytes(head("get_id") + "0B0002 00000000" + PLAIN_ARGUMENTS).length;
    return "0B0002" + text("x".repeat(rest)) + PLAIN_ARGUMENTS;
  }

  @Test
  void clientThatSendsAFrameTooSlowlyIsDisconnected() {
    try (RunningServer hasty =
            RunningServer.start("thrift", ThriftProtocol::new, "limits: {request-time: 300ms}");
        RawClient client = hasty.connect()) {
      assertThat(client.send(bytes("0000001D 8001")).rest()).isEmpty();
    }
  }

  @Test
  void theNamespaceIsTheOneOfTheSetting() {
    try (RunningServer other =
        RunningServer.start(
            "thrift",
            ThriftProtocol::new,
            "thrift-namespace: orders",
            "namespaces: {orders: {layout: twitter, datacenter: 0, worker: 5}, users: {}}")) {
      assertThat(number(answer(other, head("get_worker_id") + "00"))).isEqualTo(5);
    }
  }

  @Test
  void failureOfTheStoreIsReported() {
    SwitchedStores.named("thrift").down(true);
    try (RunningServer other =
        RunningServer.startClosed("thrift", ThriftProtocol::new, "store: switched:thrift")) {
      assertThat(new String(answer(other, CALL), ISO_8859_1))
          .isEqualTo(exception("get_id", "Store switched: did not answer", 6));
    } finally {
      SwitchedStores.named("thrift").down(false);
    }
  }

  @Test
  void oneConnectionTooManyIsRefusedWithAReason() {
    try (RunningServer small =
            RunningServer.start(
                "thrift", ThriftProtocol::new, "limits: {connections: 1, request-time: 10m}");
        RawClient first = small.connect()) {
      assertThat(number(read(first.send(frame(CALL))))).isPositive();
      try (RawClient second = small.connect()) {
        assertThat(new String(read(second), ISO_8859_1))
            .endsWith(
                exceptionFields(
                    "Too many connections: this server has 1, its limit (limits.connections)", 6));
        assertThat(second.rest()).isEmpty();
      }
    }
  }

  private static String head(String method) {
    return "80010001" + text(method) + "00000001";
  }

  private static String text(String text) {
    return "%08X".formatted(text.length()) + HexFormat.of().formatHex(text.getBytes(ISO_8859_1));
  }

  private static String exception(String method, String message, int kind) {
    return new String(bytes("80010003" + text(method) + "00000001"), ISO_8859_1)
        + exceptionFields(message, kind);
  }

  private static String exceptionFields(String message, int kind) {
    return new String(
        bytes("0B0001" + text(message) + "080002" + "%08X".formatted(kind) + "00"), ISO_8859_1);
  }

  private static long number(String method, String arguments) {
    return number(answer(server, head(method) + arguments));
  }

  /** The number that a reply with a version carries. */
  private static long number(byte[] reply) {
    assertThat(reply[3]).as(new String(reply, ISO_8859_1)).isEqualTo((byte) 2);
    return ByteBuffer.wrap(reply).getLong(reply.length - 9);
  }

  private static String answer(String frame) {
    return new String(answer(server, frame), ISO_8859_1);
  }

  private static byte[] answer(RunningServer asked, String frame) {
    try (RawClient client = asked.connect()) {
      return read(client.send(frame(frame)));
    }
  }

  private static byte[] read(RawClient client) {
    byte[] length = client.receive(4).getBytes(ISO_8859_1);
    return client.receive(ByteBuffer.wrap(length).getInt()).getBytes(ISO_8859_1);
  }

  private static byte[] frame(String content) {
    byte[] bytes = bytes(content);
    return ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes).array();
  }

  private static byte[] bytes(String hexAndTexts) {
    StringBuilder hex = new StringBuilder();
    String[] parts = hexAndTexts.split("'", -1);
    for (int i = 0; i < parts.length; i++) {
      hex.append(
          i % 2 == 0
              ? parts[i].replace(" ", "")
              : HexFormat.of().formatHex(parts[i].getBytes(ISO_8859_1)));
    }
    return HexFormat.of().parseHex(hex);
  }
}
