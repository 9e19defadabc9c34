package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.redis.RedisProtocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class RequestHandlerTest {

  private final CompletableFuture<String> result = new CompletableFuture<>();

  /** A test that ran before in this thread may have left turns that its channel did not take. */
  @BeforeEach
  void forgetTurns() {
    FastThreadLocal.removeAll();
  }

  /** Answers each byte when a result is there, and fails at that. */
  private final class Broken extends RequestHandler {

    Broken(Connection connection, Service service) {
      super(connection, service.config().limits());
    }

    @Override
    protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
      in.skipBytes(1);
      begin(ctx);
      whenDone(
          ctx,
          result,
          (value, failure) -> {
            throw new IllegalStateException("broken");
          });
      return 1;
    }
  }

  /** Takes all that has come as a request, once it is as long as the least one. */
  private static final class Taking extends RequestHandler {

    private final List<Integer> taken = new ArrayList<>();
    private int least;

    Taking(Connection connection, Service service) {
      super(connection, service.config().limits());
    }

    @Override
    protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
      if (in.readableBytes() < least) {
        return 0;
      }
      begin(ctx);
      taken.add(in.readableBytes());
      in.skipBytes(in.readableBytes());
      answered(ctx, 1, 0, false);
      return 1;
    }
  }

  /** One reading of the network finds a hundred of them, and short ones among them. */
  @Test
  void aLongRequestWaitsForALaterTurn() {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      Connection connection = LoneConnections.of(channel, service);
      Taking handler = new Taking(connection, service);
      channel.pipeline().addLast(handler, connection);
      channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[8192]));
      assertThat(handler.taken).containsExactly(8192);
      channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[8193]));
      assertThat(handler.taken).containsExactly(8192);
      connection.stop(channel.pipeline().lastContext());
      assertThat(channel.isOpen()).isTrue();
      runTurns(channel);
      assertThat(handler.taken).containsExactly(8192, 8193);
      assertThat(channel.isOpen()).isFalse();
    }
  }

  /** Waiting ones take at most half of what the server may hold. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLongRequestIsTakenAtOnceWhenTooManyWait(boolean room) {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      HeldBytes held = LoneConnections.held(room ? 2 * 9_000 : 2 * 9_000 - 1);
      Connection connection = LoneConnections.of(channel, service, held);
      Taking handler = new Taking(connection, service);
      channel.pipeline().addLast(handler, connection);
      for (int i = 0; i < 2; i++) { // the first one leaves room again
        channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[9_000]));
        assertThat(handler.taken).hasSize(room ? i : i + 1);
        runTurns(channel);
        assertThat(handler.taken).hasSize(i + 1);
      }
    }
  }

  /** The kernel keeps the rest of it until the connection has its turn. */
  @Test
  void aLongRequestIsReadInItsTurnWhenTooManyWait() {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      HeldBytes held = LoneConnections.held(1 << 20);
      Connection connection = LoneConnections.of(channel, service, held);
      Taking handler = new Taking(connection, service);
      handler.least = 60_000;
      channel.pipeline().addLast(handler, connection);
      ExtendedHandle handle = connection.readings().newHandle();
      assertThat(held.addWaiting(500_000)).isTrue();
      LaterTurns.ofLongSteps()
          .add(channel.eventLoop(), connection::nanoTime, "another client", () -> {});
      read(handle, 2048, channel);
      assertThat(channel.config().isAutoRead()).isFalse();
      runTurns(channel);
      assertThat(channel.config().isAutoRead()).isTrue();
      assertThat(connection.readings().isGranted()).isTrue();
      for (int bytes = 2048; bytes < 60_000; bytes += 8192) {
        assertThat(handle.guess()).isEqualTo(8192);
        assertThat(connection.readings().isGranted()).isTrue();
        read(handle, 8192, channel);
      }
      assertThat(handler.taken).containsExactly(2048 + 8 * 8192);
      assertThat(connection.readings().isGranted()).isFalse();
    }
  }

  /** Of a client that has closed its sending side, all is read at once. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatComesWhileALongRequestWaitsIsCountedOrTaken(boolean room) {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      HeldBytes held = LoneConnections.held(2L * (room ? 30_000 : 29_999));
      Connection connection = LoneConnections.of(channel, service, held);
      Taking handler = new Taking(connection, service);
      channel.pipeline().addLast(handler, connection);
      for (int i = 0; i < 3; i++) {
        channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[10_000]));
      }
      assertThat(handler.taken).isEqualTo(room ? List.of() : List.of(30_000));
      assertThat(held.addWaiting(29_999)).isEqualTo(!room);
      held.removeWaiting(room ? 0 : 29_999);
      runTurns(channel);
      assertThat(handler.taken).containsExactly(30_000);
      assertThat(channel.isOpen()).isTrue();
      assertThat(held.addWaiting(29_999)).isTrue();
    }
  }

  @Test
  void whatAClientThatLeavesHasWaitingIsNotCounted() {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      HeldBytes held = LoneConnections.held(2 * 10_000);
      Connection connection = LoneConnections.of(channel, service, held);
      channel.pipeline().addLast(new Taking(connection, service), connection);
      channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[10_000]));
      assertThat(held.addWaiting(1)).isFalse();
      channel.close();
      assertThat(held.addWaiting(10_000)).isTrue();
    }
  }

  /** A pipeline of short ones goes on as it is read. */
  @Test
  void shortRequestsAreTakenAtOnceWhenTooManyWait() {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      HeldBytes held = LoneConnections.held(1 << 20);
      Connection connection = LoneConnections.of(channel, service, held);
      Taking handler = new Taking(connection, service);
      channel.pipeline().addLast(handler, connection);
      ExtendedHandle handle = connection.readings().newHandle();
      assertThat(held.addWaiting(500_000)).isTrue();
      read(handle, 2048, channel);
      read(handle, 2048, channel);
      assertThat(handler.taken).containsExactly(2048, 2048);
      assertThat(channel.config().isAutoRead()).isTrue();
    }
  }

  /** On a slow machine, a turn can be over before it has taken anything, and is taken again. */
  private static void runTurns(EmbeddedChannel channel) {
    for (int i = 0; i < 20; i++) {
      channel.runPendingTasks();
    }
  }

  private static void read(ExtendedHandle handle, int bytes, EmbeddedChannel channel) {
    handle.attemptedBytesRead(handle.guess());
    handle.lastBytesRead(bytes);
    channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[bytes]));
  }

  @Test
  void closesTheConnectionWhenALateAnswerFails() {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      Connection connection = LoneConnections.of(channel, service);
      channel.pipeline().addLast(new Broken(connection, service), connection);
      channel.writeInbound(Unpooled.copiedBuffer(new byte[1]));
      assertThat(channel.isOpen()).isTrue();
      result.complete("");
      runTurns(channel);
      assertThat(channel.isOpen()).isFalse();
    }
  }
}
