package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import io.firn.testservers.RedisServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares replies byte for byte with those of a real Redis. */
final class RedisLikenessTest {

  private static final String END = "\r\nQUIT\r\n";

  private static RedisServer redis;
  private static RunningServer firn;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
    firn = RunningServer.start("redis", RedisProtocol::new);
  }

  @AfterAll
  static void stop() {
    firn.close();
    redis.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PING",
        "ping hello",
        "PING a b",
        "*1\r\n$4\r\nPiNg",
        "ECHO hello",
        "ECHO",
        "ECHO a b",
        "*2\r\n$4\r\nECHO\r\n$4\r\n\r\n\u0000\u00ff",
        "SELECT 0",
        "SELECT one",
        "SELECT",
        "QUIT",
        "CLIENT GETNAME",
        "CLIENT SETNAME me\r\nCLIENT GETNAME",
        "CLIENT SETNAME \"a b\"",
        "CLIENT SETNAME",
        "CLIENT",
        "CLIENT NONSENSE",
        "CLIENT ID 5",
        "AUTH",
        "AUTH x",
        "AUTH default x",
        "AUTH somebody x",
        "AUTH a b c",
        "HELLO 1",
        "HELLO 4",
        "HELLO x",
        "HELLO 3 NONSENSE",
        "HELLO 3 AUTH somebody x",
        "HELLO 3 SETNAME \"a b\"",
        "INCR",
        "INCR a b",
        "incr",
        "COMMAND NONSENSE",
        "COMMAND GETKEYS PING",
        "COMMAND GETKEYS INCR a",
        "MULTI\r\nPING\r\nECHO x\r\nEXEC",
        "MULTI\r\nEXEC",
        "MULTI\r\nPING\r\nDISCARD\r\nPING",
        "MULTI\r\nMULTI\r\nPING\r\nEXEC",
        "MULTI\r\nECHO\r\nEXEC",
        "MULTI\r\nQUIT",
        "MULTI\r\nRESET\r\nPING",
        "EXEC",
        "DISCARD",
        "UNWATCH",
        "MULTI\r\nUNWATCH\r\nEXEC",
        "RESET",
        "CLIENT SETNAME me\r\nRESET\r\nCLIENT GETNAME",
        "CLUSTER INFO",
        "CLUSTER SLOTS",
        "READONLY",
        "CLIENT KILL 127.0.0.1:1",
        "CLIENT KILL ID x",
        "CLIENT KILL ID 999999",
        "CLIENT LIST NONSENSE",
        "CLIENT NO-EVICT on",
        "CLIENT TRACKING OFF",
        "CLIENT REPLY ON",
        "SCAN",
        "SCAN x",
        "SCAN 0 NONSENSE",
        "SCAN 0 MATCH a* COUNT 5",
        "KEYS a*",
        "EXISTS a b",
        "TYPE nothing",
        "TTL nothing",
        "MODULE LIST",
        "SLOWLOG LEN",
        "SLOWLOG GET 1",
        "LATENCY LATEST",
        "ACL WHOAMI",
        "\r\n\r\nPING",
        "*0\r\n*-1\r\nPING",
        "ECHO \"\\x41\\n\\q\"",
        "ECHO 'a\\'b'",
        "POST / HTTP/1.1\r\nPING",
        "Host: here\r\nPING",
        "ECHO \"unbalanced",
        "ECHO 'a'b",
        "*1\r\n:5\r\n",
        "*1\r\n*1\r\n$4\r\nPING",
      })
  void answersAsRedisDoes(String request) {
    assertThat(firn(request)).isEqualTo(redis(request));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "*9999999999\r\n",
        "*x\r\n",
        "*1\r\n$x\r\n",
        "*1\r\n$-1\r\n",
        "*1\r\n$9999999999\r\n",
        "SELECT 99",
        "SELECT -1"
      })
  void addsItsReasonToWhatRedisSays(String request) {
    assertThat(firn(request).replaceFirst(" \\(expected: .*\\)", "")).isEqualTo(redis(request));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NONSENSE",
        "NONSENSE a b",
        "NONSENSE 'a b' \"c\\r\\nd\"",
        "MULTI\r\nNONSENSE\r\nPING\r\nEXEC\r\nPING"
      })
  void addsTheCommandsThatIssueIdsToAnUnknownOne(String request) {
    assertThat(firn(request).replaceFirst("\\(expected: INCR key, .*\\)", ""))
        .isEqualTo(redis(request));
  }

  /**
   * Some clients fail where a field is missing that they do not use. Others, such as go-redis
   * before 9.6, fail at one that they do not know, such as that of Redis 7.4.
   */
  @Test
  void describesAClientByTheFieldsOfRedis() {
    assertThat(fields(firn("CLIENT INFO"))).containsAll(fields(redis("CLIENT INFO")));
    assertThat(fields(firn("CLIENT LIST"))).containsAll(fields(redis("CLIENT LIST")));
    assertThat(fields(firn("CLIENT INFO"))).doesNotContain("watch");
    assertThat(firn("HELLO 3\r\nCLIENT INFO")).contains(" resp=3 ");
    assertThat(firn("CLIENT INFO")).contains(" resp=2 ");
  }

  private static List<String> fields(String description) {
    return Pattern.compile("([a-z-]+)=")
        .matcher(description)
        .results()
        .map(m -> m.group(1))
        .toList();
  }

  private static String firn(String request) {
    return ask(firn.address(), request);
  }

  private static String redis(String request) {
    return ask(new InetSocketAddress(InetAddress.getLoopbackAddress(), redis.port()), request);
  }

  private static String ask(InetSocketAddress address, String request) {
    try (RawClient client = new RawClient(address)) {
      return client.send(request + END).rest();
    }
  }
}
