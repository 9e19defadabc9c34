package io.firn.server.thrift;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Frames that no client should send. Each may cost its own connection, and nobody else's. */
@Timeout(120)
final class ThriftFuzzTest {

  private static final int TRIALS = 600;
  private static final long SEED = Long.getLong("firn.seed", 20261121);
  private static final byte[] CALL =
      HexFormat.of().parseHex("0000001d80010001000000066765745f6964000000010b000100000003666f6f00");

  @Test
  void theServerOutlivesEveryFrame() {
    Random random = new Random(SEED);
    try (RunningServer server =
        RunningServer.start(
            "thrift", ThriftProtocol::new, "limits: {request-size: 1KiB, request-time: 200ms}")) {
      for (int trial = 0; trial < TRIALS; trial++) {
        byte[] request = request(random);
        String what =
            "seed %d, trial %d: %s".formatted(SEED, trial, HexFormat.of().formatHex(request));
        assertThat(answer(server, request, random)).as(what).doesNotContain("unexpected error");
      }
      try (RawClient client = server.connect()) {
        assertThat(client.send(CALL).receive(34)).startsWith("\0\0\0\36");
      }
    }
  }

  private static byte[] request(Random random) {
    byte[] request = new byte[CALL.length * (1 + random.nextInt(3))];
    for (int at = 0; at < request.length; at += CALL.length) {
      System.arraycopy(CALL, 0, request, at, CALL.length);
    }
    for (int i = random.nextInt(4); i >= 0; i--) {
      request[random.nextInt(request.length)] = (byte) random.nextInt(256);
    }
    if (random.nextInt(3) == 0) {
      request = Arrays.copyOf(request, random.nextInt(request.length));
    }
    if (random.nextInt(3) == 0) {
      request = framed(request, random);
    }
    return request;
  }

  /** Random fields behind a good head, in a frame of the right length. */
  private static byte[] framed(byte[] some, Random random) {
    byte[] fields = new byte[random.nextInt(200)];
    for (int i = 0; i < fields.length; i++) {
      fields[i] = (byte) (random.nextInt(4) == 0 ? random.nextInt(256) : random.nextInt(17));
    }
    return ByteBuffer.allocate(22 + fields.length + some.length)
        .putInt(18 + fields.length)
        .put(CALL, 4, 18)
        .put(fields)
        .put(some)
        .array();
  }

  private static String answer(RunningServer server, byte[] request, Random random) {
    try (RawClient client = server.connect()) {
      int cut = random.nextInt(request.length + 1);
      client.send(Arrays.copyOfRange(request, 0, cut));
      client.send(Arrays.copyOfRange(request, cut, request.length));
      if (random.nextInt(4) == 0) {
        return "";
      }
      client.endSending();
      return client.rest();
    } catch (UncheckedIOException e) {
      return "reset"; // the server has closed, with something unread
    }
  }
}
