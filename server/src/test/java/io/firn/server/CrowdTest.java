package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.Limits;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Simulations of {@link HeldBytes} with its shipped budget: clients that send long requests, pause
 * in short ones, or wait for their turns, beside thousands that want the memory.
 */
final class CrowdTest {

  private static final int STEP_MILLIS = 5;
  private static final int STEPS = 600;
  private static final int MOST_CONNECTIONS_IN_A_STEP = 25;

  private final Random random = new Random(7);
  private final HeldClock time = new HeldClock();
  private final HeldBytes held = LoneConnections.held(16 << 20);
  private final Limits limits = RunningServer.config("redis").limits();
  private int opened;

  /** What a client does in a step, in which it may hold more or less. */
  private interface Behavior {
    long next(Client client, int step);
  }

  /** A client that connects again when it was closed. */
  private final class Client {

    private final String host;
    private final boolean honest;
    private final Behavior behavior;
    private final int turn;
    private final int phase = random.nextInt(100);
    private EmbeddedChannel channel;
    private Connection connection;
    private long bytes;
    private int parts;
    private int requests;
    private int lost;
    private int pausesUntil;

    /** One whose bytes wait for so many steps before each turn. */
    Client(String host, boolean honest, int turn, Behavior behavior) {
      this.host = host;
      this.honest = honest;
      this.turn = turn;
      this.behavior = behavior;
    }

    void step(int step) {
      if (channel != null && !channel.isOpen()) {
        channel = null;
        lost++;
      }
      if (channel == null && (honest || opened++ < MOST_CONNECTIONS_IN_A_STEP)) {
        connect();
      }
      if (channel != null && step >= pausesUntil) {
        if (turn > 0 && !connection.waitsForServer()) {
          connection.waitsForServer(true);
          pausesUntil = step + turn;
        } else {
          connection.waitsForServer(false);
          goOn(step);
        }
      }
    }

    private void goOn(int step) {
      long next = behavior.next(this, step);
      if (next != bytes) {
        bytes = next;
        connection.turnEnded(next);
      }
    }

    private void connect() {
      channel = LoneConnections.channelFrom(host);
      connection = LoneConnections.of(channel, limits, false, held, time);
      channel.pipeline().addLast(connection);
      bytes = 0;
      parts = 0;
    }

    /** Sends a request in parts, and pauses after each part or after the last one. */
    long request(long size, int of, int pause, int step) {
      parts++;
      if (parts > of) {
        parts = 0;
        requests++;
        pausesUntil = step + 20 + random.nextInt(200);
        return 0;
      }
      pausesUntil = step + pause;
      return size * parts / of;
    }

    /** Changes what it holds each 150 ms, each client at another time. */
    long change(int step, long first, long by) {
      boolean isDue = (step + phase) % 30 == 0;
      return bytes == 0 ? first : isDue ? bytes + by : bytes;
    }
  }

  private static Behavior attack(String kind) {
    return switch (kind) {
      case "silent" -> (client, step) -> 4_096;
      case "silent and large" -> (client, step) -> 59_000;
      case "a sixteenth at a time" ->
          (client, step) ->
              client.bytes < 60_000 ? client.change(step, 4_096, client.bytes / 16 + 1) : 0;
      case "slow requests" -> (client, step) -> client.request(60_000, 20, 20, step);
      case "slow readers" -> (client, step) -> client.change(step, 200_000, -1_000);
      default -> throw new IllegalArgumentException(kind);
    };
  }

  @ParameterizedTest
  @CsvSource({
    "silent, 4500, 4500",
    "silent, 9000, 1",
    "silent and large, 300, 300",
    "silent and large, 4000, 4000",
    "silent and large, 2000, 10",
    "a sixteenth at a time, 3000, 3000",
    "a sixteenth at a time, 3000, 1",
    "slow requests, 4000, 4000",
    "slow readers, 1000, 1000"
  })
  void aClientThatGoesOnWithItsRequestIsNotClosed(String kind, int attackers, int addresses) {
    List<Client> all = new ArrayList<>();
    for (int i = 0; i < attackers; i++) {
      int address = i % addresses;
      String host = "127.1." + address / 250 + "." + (1 + address % 250);
      all.add(new Client(host, false, 0, attack(kind)));
    }
    List<Client> honest = new ArrayList<>();
    for (int i = 1; i <= 60; i++) {
      honest.add(
          new Client(
              "127.2.0." + i,
              true,
              i % 3 == 0 ? 40 : 0,
              i % 2 == 0
                  ? (client, step) -> client.request(60_000, 5, 1, step)
                  : (client, step) -> client.request(1_500, 1, 100, step)));
    }
    all.addAll(honest);
    Collections.shuffle(all, random);
    for (int step = 0; step < STEPS; step++) {
      opened = 0;
      for (Client each : all) {
        each.step(step);
      }
      time.advance(Duration.ofMillis(STEP_MILLIS));
    }
    assertThat(all.stream().mapToInt(client -> client.lost).sum()).isPositive();
    assertThat(honest).allMatch(client -> client.lost == 0 && client.requests > 0);
  }
}
