package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import io.firn.server.Traffic;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Commands are counted, with their times. */
@Timeout(60)
final class RedisTrafficTest {

  private static final String INCR = "*2\r\n$4\r\nINCR\r\n$7\r\ndefault\r\n";

  private final RunningServer server =
      RunningServer.start("redis", RedisProtocol::new, "limits: {pipeline: 16}");

  @AfterEach
  void stop() {
    server.close();
  }

  private Traffic traffic() {
    return server.server().service().traffic().get("redis");
  }

  private long answered() {
    return traffic().times().counts().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Sends commands and waits for the end of the connection: only then the server has counted all.
   */
  private void sendAll(String commands) {
    try (RawClient client = server.connect()) {
      client.send(commands).rest();
    }
  }

  @Test
  void aPipelineCountsEachOfItsCommands() {
    sendAll("PING\r\n" + INCR.repeat(100) + "QUIT\r\n");
    assertThat(answered()).isEqualTo(102);
    assertThat(traffic().refusals()).isZero();
    assertThat(traffic().times().sumNanos()).isPositive();
  }

  @Test
  void refusedRequestsAreCountedAsRefused() {
    sendAll("NONSENSE\r\nINCRBY a 5\r\n" + INCR + "INCR\r\n*1\r\n:5\r\n");
    assertThat(answered()).isEqualTo(5);
    assertThat(traffic().refusals()).isEqualTo(4);
  }

  @Test
  void aTransactionIsRefusedOnceHoweverManyOfItsCommandsAre() {
    sendAll("MULTI\r\nNEXT a SCOPE 0\r\nNEXT a SCOPE 0\r\nEXEC\r\nQUIT\r\n");
    assertThat(answered()).isEqualTo(5);
    assertThat(traffic().refusals()).isEqualTo(1);
  }

  @Test
  void anAnswerThatComesLaterCountsWhenItIsThere() {
    sendAll("INCR another\r\nINCR further\r\nPING\r\nQUIT\r\n");
    assertThat(answered()).isEqualTo(4);
    assertThat(traffic().refusals()).isZero();
  }

  @Test
  void halfACommandCountsNothing() {
    try (RawClient client = server.connect()) {
      client.send("PING\r\nPI").expect("+PONG\r\n");
    }
    while (traffic().connections() > 0) {
      Thread.onSpinWait();
    }
    assertThat(answered()).isEqualTo(1);
  }
}
