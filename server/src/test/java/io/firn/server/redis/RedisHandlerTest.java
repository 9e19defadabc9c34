package io.firn.server.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.Connection;
import io.firn.server.LoneConnections;
import io.firn.server.RawClient;
import io.firn.server.RunningServer;
import io.firn.server.Service;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the memory that a connection is counted with. */
@Timeout(60)
final class RedisHandlerTest {

  /** Its layout has 25,600 IDs in a second. */
  private final RunningServer running =
      RunningServer.start("redis", RedisProtocol::new, "defaults: {layout: sonyflake}");

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Connection connection;

  RedisHandlerTest() {
    Service service = running.server().service();
    connection = LoneConnections.of(channel, service);
    new RedisProtocol(service).open(channel.pipeline(), connection);
    channel.pipeline().addLast(connection);
  }

  @AfterEach
  void stop() {
    channel.finishAndReleaseAll();
    running.close();
  }

  private void send(String bytes) {
    channel.pipeline().fireChannelRead(Unpooled.copiedBuffer(bytes, ISO_8859_1));
    channel.runPendingTasks(); // a turn that is left
  }

  private static String echo(int length) {
    return "*2\r\n$4\r\nECHO\r\n$" + length + "\r\n" + "x".repeat(length) + "\r\n";
  }

  /** Only its bytes are counted until the client reads it. */
  @Test
  void aShortAnswerTakesNoLongBuffer() {
    UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(false);
    channel.config().setAllocator(allocator);
    send("PING\r\n" + echo(7_000).substring(0, 6_900));
    ByteBuf answer = channel.readOutbound();
    assertThat(answer.toString(ISO_8859_1)).isEqualTo("+PONG\r\n");
    assertThat(answer.capacity()).isLessThan(512);
    answer.release();
    channel.finishAndReleaseAll();
    assertThat(allocator.metric().usedHeapMemory()).isZero();
  }

  @Test
  void thePlacesOfManyArgumentsAreHeld() {
    send("*1024\r\n" + "$0\r\n\r\n".repeat(513));
    assertThat(connection.heldBytes()).isBetween(11_000L, 12_000L);
  }

  @Test
  void aTransactionIsHeldWhileItIsExecuted() {
    RawClient other = new RawClient(running.address());
    other.send("NEXT default COUNT 10000\r\n".repeat(3)); // others have the IDs of a second
    other.line();
    send("MULTI\r\n");
    send(echo(3_000));
    send(echo(3_000));
    send("NEXT default COUNT 9000\r\n");
    assertThat(connection.heldBytes()).isGreaterThan(6_000);
    send("EXEC\r\n");
    assertThat(connection.heldBytes()).as("while it waits for IDs").isGreaterThan(6_000);
    while (connection.heldBytes() > 0) {
      channel.runPendingTasks();
    }
    other.close();
  }
}
