package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** One server for the tests of a class, and a connection for each test. */
abstract class OneRedisServer {

  static RunningServer server;
  RawClient client;

  @BeforeAll
  static void start() {
    server = RunningServer.start("redis", RedisProtocol::new, "limits: {count: 100}");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void connect() {
    client = server.connect();
  }

  @AfterEach
  void disconnect() {
    client.close();
  }

  static long integer(RawClient client) {
    String line = client.line();
    assertThat(line).startsWith(":");
    return Long.parseLong(line.substring(1));
  }

  void says(String command, String reply) {
    client.send(command + "\r\n").expect(reply);
  }

  static String crlf(String text) {
    return text.replace("\n", "\r\n");
  }
}
