package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RedisTransactionTest extends OneRedisServer {

  @Test
  void executesATransaction() {
    client.send("MULTI\r\nINCR orders\r\nNEXT orders COUNT 2\r\nINCRBY late 1\r\nPING\r\n");
    client.expect("+OK\r\n" + "+QUEUED\r\n".repeat(4));
    client.send("EXEC\r\n").expect("*4\r\n");
    long first = integer(client);
    client.expect("*2\r\n");
    assertThat(List.of(first, integer(client), integer(client))).isSorted().doesNotHaveDuplicates();
    integer(client);
    client.expect("+PONG\r\n");
    says("MULTI\r\nEXEC", "+OK\r\n*0\r\n");
    says("PING", "+PONG\r\n");
  }

  @Test
  void executesManyIncrementsOfATransaction() {
    String incr = "*2\r\n$4\r\nINCR\r\n$6\r\norders\r\n";
    client.send("MULTI\r\n" + incr.repeat(100) + "EXEC\r\n");
    client.expect("+OK\r\n" + "+QUEUED\r\n".repeat(100) + "*100\r\n");
    List<Long> ids = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      ids.add(integer(client));
    }
    assertThat(ids).isSorted().doesNotHaveDuplicates();
    client.send("MULTI\r\n" + incr.repeat(101) + "EXEC\r\nPING\r\n");
    client.expect("+OK\r\n" + "+QUEUED\r\n".repeat(100));
    assertThat(client.line())
        .isEqualTo(
            "-ERR commands: over 100 IDs in a transaction (expected: at most 100, the limit"
                + " limits.count; without MULTI there is none)");
    client.expect("-EXECABORT Transaction discarded because of previous errors.\r\n+PONG\r\n");
  }

  @Test
  void drawsInScopesInATransaction() {
    client.send("MULTI\r\nNEXT orders SCOPE 1000\r\nNEXT orders COUNT 2 SCOPE 1000\r\nEXEC\r\n");
    client.expect("+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n*2\r\n");
    assertThat(client.line()).startsWith("$");
    client.line();
    integer(client);
    client.expect("*3\r\n");
  }

  @Test
  void aTransactionKeepsToItsLimits() {
    List<String> refused =
        List.of(
            "NEXT orders COUNT 101",
            "NEXT orders COUNT 100 SCOPE 10",
            "GET x",
            "INFO",
            "DECODE 1",
            "NONSENSE");
    for (String step : refused) {
      client.send("MULTI\r\nINCR orders\r\n" + step + "\r\nEXEC\r\n");
      client.expect("+OK\r\n+QUEUED\r\n");
      assertThat(client.line()).startsWith("-ERR ");
      client.expect("-EXECABORT Transaction discarded because of previous errors.\r\n");
    }
    String key = "x".repeat(64000);
    client.send("MULTI\r\n" + ("ECHO " + key + "\r\n").repeat(17) + "EXEC\r\nPING\r\n");
    client.expect("+OK\r\n" + "+QUEUED\r\n".repeat(16));
    assertThat(client.line()).startsWith("-ERR commands: over 1048576 bytes in a transaction");
    client.expect("-EXECABORT Transaction discarded because of previous errors.\r\n+PONG\r\n");
  }

  @Test
  void anErrorWithinATransactionIsItsReply() {
    says(
        "MULTI\r\nINCR 'a b'\r\nPING\r\nEXEC",
        crlf(
            """
            +OK
            +QUEUED
            +QUEUED
            *2
            -ERR namespace: a b (expected: 1..64 of A-Z a-z 0-9 . _ : -)
            +PONG
            """));
  }
}
