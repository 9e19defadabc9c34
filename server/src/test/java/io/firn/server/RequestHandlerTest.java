package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.Limits;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.FastThreadLocal;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class RequestHandlerTest {

  private final Limits limits = RunningServer.config("redis").limits();
  private final Receiving channel = new Receiving();
  private final CompletableFuture<String> result = new CompletableFuture<>();

  /** A channel that has received bytes, which are read in the turns of its connection only. */
  private static final class Receiving extends EmbeddedChannel {

    private int unread;

    @Override
    protected void doBeginRead() {
      RequestHandler handler = pipeline().get(RequestHandler.class);
      if (handler instanceof Taking taking && taking.connection.readSizes().isInTurn()) {
        int most = taking.handle.guess();
        int bytes = Math.min(most, unread);
        unread -= bytes;
        taking.handle.attemptedBytesRead(most);
        taking.handle.lastBytesRead(bytes);
        if (bytes > 0) {
          pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[bytes]));
        }
      }
    }
  }

  /** The turns of the thread are not those of the next test's loop. */
  @AfterEach
  void forgetTurns() {
    FastThreadLocal.removeAll();
  }

  /** Returns the connection of the channel, in whose turns no time passes. */
  private Connection connection(HeldBytes held) {
    return LoneConnections.of(channel, limits, true, held, new HeldClock());
  }

  private Taking take(HeldBytes held) {
    return take(held, new HeldClock());
  }

  private Taking take(HeldBytes held, HeldClock time) {
    Connection connection = LoneConnections.of(channel, limits, true, held, time);
    Taking handler = new Taking(connection, limits);
    channel.pipeline().addLast(handler, connection);
    return handler;
  }

  private Taking takeWhileTooManyWait(HeldClock time) {
    HeldBytes held = LoneConnections.held(1 << 20);
    assertThat(held.addWaiting(500_000)).isTrue();
    return take(held, time);
  }

  private void receive(int bytes) {
    channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[bytes]));
  }

  /** Takes a byte as a request, and more as a part of one. Answers it when a result is there. */
  private final class Late extends RequestHandler {

    private final Consumer<ChannelHandlerContext> answer;

    Late(Connection connection, Consumer<ChannelHandlerContext> answer) {
      super(connection, limits);
      this.answer = answer;
    }

    @Override
    protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
      if (in.readableBytes() > 1) {
        return 0;
      }
      in.skipBytes(1);
      begin();
      whenDone(ctx, result, (value, failure) -> answer.accept(ctx));
      return 1;
    }
  }

  /** Takes all that has come as a request, once it is as long as the least one. */
  private static final class Taking extends RequestHandler {

    private final Connection connection;
    private final ExtendedHandle handle;
    private final List<Integer> taken = new ArrayList<>();
    private int least;
    private boolean last;
    private boolean pending;
    private boolean fails;
    private @Nullable Caller caller;

    Taking(Connection connection, Limits limits) {
      super(connection, limits);
      this.connection = connection;
      handle = connection.readSizes().newHandle();
    }

    @Override
    protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
      if (caller != null) {
        authenticated(caller);
      }
      if (fails) {
        throw new AssertionError("an error of the handler");
      }
      if (in.readableBytes() < least) {
        return 0;
      }
      begin();
      taken.add(in.readableBytes());
      in.skipBytes(in.readableBytes());
      if (!pending) {
        answered(ctx, 1, 0, last);
      }
      return 1;
    }
  }

  /** Has a reading find as much as it can take. */
  private void readFull(Taking handler) {
    int bytes = handler.handle.guess();
    handler.handle.attemptedBytesRead(bytes);
    handler.handle.lastBytesRead(bytes);
    receive(bytes);
  }

  /** A client may have sent more requests, which the server holds meanwhile. */
  @Test
  void timeInWhichTheServerOwesAnAnswerIsNotThatOfTheClient() {
    HeldClock time = new HeldClock();
    Connection connection =
        LoneConnections.of(channel, limits, true, LoneConnections.held(Long.MAX_VALUE), time);
    RequestHandler handler =
        new RequestHandler(connection, limits) {
          @Override
          protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
            in.skipBytes(1);
            begin();
            whenDone(ctx, result, (value, failure) -> answered(ctx, 1, 0, false));
            return 1;
          }
        };
    channel.pipeline().addLast(handler, connection);
    long before = connection.clientNanos();
    receive(10);
    time.advance(Duration.ofSeconds(2));
    assertThat(connection.clientNanos()).isEqualTo(before);
    result.complete("");
    channel.runPendingTasks();
    time.advance(Duration.ofSeconds(3));
    assertThat(connection.clientNanos() - before).isEqualTo(3_000_000_000L);
  }

  /** One reading of the network finds a hundred of them, and short ones among them. */
  @Test
  void aLongRequestWaitsForALaterTurn() {
    Taking handler = take(LoneConnections.held(Long.MAX_VALUE));
    receive(8192);
    assertThat(handler.taken).containsExactly(8192);
    receive(8193);
    assertThat(handler.taken).containsExactly(8192);
    handler.connection.stop();
    assertThat(channel.isOpen()).isTrue();
    channel.runPendingTasks();
    assertThat(handler.taken).containsExactly(8192, 8193);
    assertThat(channel.isOpen()).isFalse();
  }

  /** Waiting ones take at most half of what the server may hold. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLongRequestIsTakenAtOnceWhenTooManyWait(boolean room) {
    Taking handler = take(LoneConnections.held(room ? 2 * 9_000 : 2 * 9_000 - 1));
    for (int i = 0; i < 2; i++) { // the first one leaves room again
      receive(9_000);
      assertThat(handler.taken).hasSize(room ? i : i + 1);
      channel.runPendingTasks();
      assertThat(handler.taken).hasSize(i + 1);
    }
  }

  /** The kernel keeps the rest of it until the connection has its turn. */
  @Test
  void aLongRequestIsReadInItsTurnWhenTooManyWait() {
    Taking handler = takeWhileTooManyWait(new HeldClock());
    handler.least = 60_000;
    assertThat(handler.handle.guess()).isEqualTo(1024);
    channel.unread = 8 * 8192;
    readFull(handler);
    assertThat(channel.config().isAutoRead()).isFalse();
    assertThat(handler.connection.waitsForServer()).isTrue();
    channel.runPendingTasks(); // its turn
    assertThat(handler.taken).containsExactly(1024 + 8 * 8192);
    assertThat(channel.unread).isZero();
  }

  /** It would wait behind the turns of all others, though its thread only had no processor. */
  @Test
  void aTurnTakesARequestHoweverLateItIs() {
    HeldClock time = new HeldClock();
    time.advanceAtReadings(Duration.ofSeconds(1));
    Taking handler = take(LoneConnections.held(1 << 20), time);
    receive(10);
    assertThat(handler.taken).containsExactly(10);
  }

  /** A part of it would take memory for as long as the connection waits for its next turn. */
  @Test
  void aLongRequestIsReadInOneTurnHoweverLongThatTakes() {
    HeldClock time = new HeldClock();
    time.advanceAtReadings(Duration.ofNanos(400_000));
    Taking handler = takeWhileTooManyWait(time);
    handler.least = 60_000;
    channel.unread = 60_000;
    readFull(handler);
    channel.runPendingTasks();
    assertThat(handler.taken).containsExactly(61_024);
  }

  /** All that the client has sent is read when it closes its sending side. */
  @Test
  void aLongRequestIsTakenInItsTurnAfterItsClientHasClosedItsSendingSide() {
    HeldBytes held = LoneConnections.held(1 << 20);
    Taking handler = take(held);
    handler.least = 60_000;
    assertThat(held.addWaiting(400_000)).isTrue();
    assertThat(held.addWaiting(100_000)).isTrue();
    readFull(handler);
    assertThat(handler.connection.waitsForServer()).isTrue();
    held.removeWaiting(400_000);
    receive(60_000);
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    channel.runPendingTasks();
    assertThat(handler.taken).containsExactly(61_024);
    assertThat(handler.connection.isClosing()).isTrue();
  }

  /** Others have their turns between them. */
  @Test
  void aLongPipelineIsReadInTurnsOfAMillisecond() {
    HeldClock time = new HeldClock();
    time.advanceAtReadings(Duration.ofNanos(400_000));
    Taking handler = takeWhileTooManyWait(time);
    channel.unread = 3 * 1024;
    readFull(handler);
    assertThat(handler.taken).containsExactly(1024);
    assertThat(channel.config().isAutoRead()).isFalse();
    List<Integer> takenBefore = new ArrayList<>();
    LaterTurns.of(LaterTurns.Kind.PIPELINE, true)
        .add(
            channel.eventLoop(),
            time::nanoTime,
            "another client",
            () -> takenBefore.addAll(handler.taken));
    while (!LaterTurns.of(LaterTurns.Kind.PIPELINE, true).isEmpty()) {
      channel.runPendingTasks();
    }
    assertThat(takenBefore).containsExactly(1024, 1024);
    assertThat(handler.taken).containsExactly(1024, 1024, 1024, 1024);
  }

  /** The server knows of it, because its first part filled a short reading. */
  @ParameterizedTest
  @ValueSource(ints = {0, 400_000})
  void aPipelineThatIsReadInTurnsIsAnsweredBeforeTheConnectionStops(int nanosPerReading) {
    HeldClock time = new HeldClock();
    time.advanceAtReadings(Duration.ofNanos(nanosPerReading));
    Taking handler = takeWhileTooManyWait(time);
    channel.unread = 3 * 1024;
    readFull(handler);
    assertThat(handler.taken).containsExactly(1024);
    handler.connection.stop();
    while (!LaterTurns.of(LaterTurns.Kind.PIPELINE, true).isEmpty()) {
      channel.runPendingTasks();
    }
    assertThat(handler.taken).containsExactly(1024, 1024, 1024, 1024);
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aConnectionStopsAfterATurnThatFoundNoMoreOfAPipeline() {
    Taking handler = takeWhileTooManyWait(new HeldClock());
    readFull(handler);
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isTrue();
    handler.connection.stop();
    assertThat(channel.isOpen()).isFalse();
  }

  /** It would delay others of its address, and take memory for as long as they wait. */
  @Test
  void aClientThatLeavesHasNoTurnLeft() {
    HeldBytes held = LoneConnections.held(1 << 20);
    Taking handler = take(held);
    handler.least = 60_000;
    EmbeddedChannel another = LoneConnections.channelFrom("127.0.0.2");
    LoneConnections.of(another, limits, true, held, new HeldClock()).turnEnded(1_040_000);
    readFull(handler);
    channel.runPendingTasks();
    assertThat(LaterTurns.of(LaterTurns.Kind.READING, true).isEmpty()).isFalse();
    channel.close();
    assertThat(LaterTurns.of(LaterTurns.Kind.READING, true).isEmpty()).isTrue();
  }

  /** As above. */
  @Test
  void aClientThatLeavesDuringALongRequestHasNoTurnLeft() {
    Connection connection = connection(LoneConnections.held(Long.MAX_VALUE));
    RequestHandler handler =
        new RequestHandler(connection, limits) {
          @Override
          protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
            in.skipBytes(in.readableBytes());
            begin();
            goOnLater(ctx, () -> {});
            return 1;
          }

          @Override
          protected void flush(ChannelHandlerContext ctx) {} // would run the turn
        };
    channel.pipeline().addLast(handler, connection);
    receive(1);
    assertThat(LaterTurns.of(LaterTurns.Kind.PIPELINE, true).isEmpty()).isFalse();
    channel.pipeline().fireChannelInactive();
    assertThat(LaterTurns.of(LaterTurns.Kind.PIPELINE, true).isEmpty()).isTrue();
  }

  /** A short one in front of it is no way around the others that wait. */
  @Test
  void aLongRequestBehindAShortOneWaitsForRoom() {
    HeldBytes held = LoneConnections.held(1 << 20);
    Taking handler = take(held);
    EmbeddedChannel another = LoneConnections.channelFrom("127.0.0.2");
    LoneConnections.of(another, limits, true, held, new HeldClock()).turnEnded(900_000);
    channel.unread = 60_000;
    readFull(handler);
    assertThat(handler.taken).hasSize(1);
    handler.least = 60_000;
    channel.runPendingTasks();
    assertThat(channel.unread).isGreaterThan(57_000);
    channel.close();
  }

  /** A client that sends a few bytes after each turn would never be slow otherwise. */
  @ParameterizedTest
  @CsvSource({"0, false", "1023, false", "1024, true", "10000, true"})
  void theTimeOfAWaitIsThatOfTheServerIfItsTurnFindsSomething(int bytes, boolean server) {
    HeldClock time = new HeldClock();
    Taking handler = takeWhileTooManyWait(time);
    handler.least = 60_000;
    readFull(handler);
    long before = handler.connection.clientNanos();
    time.advance(Duration.ofMillis(500));
    channel.unread = bytes;
    channel.runPendingTasks();
    assertThat(handler.connection.clientNanos() - before).isEqualTo(server ? 0 : 500_000_000L);
  }

  /** The turn finds four requests, and a part of the next one. */
  @Test
  void theTimeOfAWaitIsThatOfTheServerIfItsTurnFindsRequests() {
    HeldClock time = new HeldClock();
    Taking handler = takeWhileTooManyWait(time);
    readFull(handler);
    long before = handler.connection.clientNanos();
    time.advance(Duration.ofMillis(500));
    handler.least = 1024;
    channel.unread = 4 * 1024 + 300;
    channel.runPendingTasks();
    assertThat(handler.taken).containsExactly(1024, 1024, 1024, 1024, 1024);
    assertThat(handler.connection.clientNanos()).isEqualTo(before);
  }

  /** What was taken needs no buffer while its answer is awaited. */
  @Test
  void aRequestThatWaitsForItsAnswerKeepsNoBuffer() {
    Taking handler = take(LoneConnections.held(Long.MAX_VALUE));
    handler.pending = true;
    ByteBuf read = channel.alloc().directBuffer(64 << 10).writeZero(8_000);
    channel.pipeline().fireChannelRead(read);
    assertThat(handler.taken).containsExactly(8_000);
    assertThat(read.refCnt()).isZero();
  }

  /** Thousands of them can wait. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aPipelineWaitsForThoseOfStrangersOnlyWithoutAToken(boolean token) {
    List<String> turns = new ArrayList<>();
    LaterTurns.of(LaterTurns.Kind.PIPELINE, false)
        .add(channel.eventLoop(), () -> 0, "stranger", () -> turns.add("stranger"));
    Bytewise handler =
        new Bytewise(
            LoneConnections.of(
                channel, limits, token, LoneConnections.held(Long.MAX_VALUE), new HeldClock()),
            limits);
    channel.pipeline().addLast(handler);
    handler.taken = count -> turns.add("pipeline");
    channel.pipeline().fireChannelRead(Unpooled.buffer().writeZero(limits.pipeline()));
    channel.runPendingTasks();
    assertThat(turns)
        .isEqualTo(
            token ? List.of("pipeline", "stranger") : List.of("pipeline", "stranger", "pipeline"));
  }

  /** It waits for its turn, and is counted as its bytes. */
  @Test
  void theRestOfAPipelineIsKeptInABufferOfItsSize() {
    Connection connection = connection(LoneConnections.held(Long.MAX_VALUE));
    channel.pipeline().addLast(new Bytewise(connection, limits), connection);
    ByteBuf read = channel.alloc().directBuffer(64 << 10).writeZero(limits.pipeline() + 10);
    channel.pipeline().fireChannelRead(read);
    assertThat(connection.heldBytes()).isEqualTo(10);
    assertThat(read.refCnt()).isZero();
  }

  /** Takes each byte as a request. */
  private static class Bytewise extends RequestHandler {

    private IntConsumer taken = count -> {};

    Bytewise(Connection connection, Limits limits) {
      super(connection, limits);
    }

    @Override
    protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
      int count = Math.min(most, in.readableBytes());
      in.skipBytes(count);
      taken.accept(count);
      begin();
      answered(ctx, count, 0, false);
      return count;
    }
  }

  /** Netty limits direct memory itself: the process does not end. */
  @Test
  void aReadingIsReleasedWhenThereIsNoMemoryToKeepIt() {
    Taking handler = take(LoneConnections.held(Long.MAX_VALUE));
    handler.least = Integer.MAX_VALUE;
    receive(8);
    channel.config().setAllocator(new NoMemory());
    ByteBuf read = Unpooled.buffer(6_000).writeZero(6_000);
    channel.pipeline().fireChannelRead(read);
    assertThat(channel.isOpen()).isFalse();
    assertThat(read.refCnt()).isZero();
  }

  private static final class NoMemory extends AbstractByteBufAllocator {

    @Override
    public boolean isDirectBufferPooled() {
      return false;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialBytes, int maxBytes) {
      throw new OutOfMemoryError("none");
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialBytes, int maxBytes) {
      throw new OutOfMemoryError("none");
    }
  }

  /** A client that reads while an answer is sent makes the channel writable again. */
  @Test
  void anAnswerWhoseSendingMakesTheChannelWritableLeavesOneTurn() {
    Connection connection = connection(LoneConnections.held(Long.MAX_VALUE));
    RequestHandler handler =
        new Bytewise(connection, limits) {
          private boolean flushed;

          @Override
          protected void flush(ChannelHandlerContext ctx) {
            if (!flushed) {
              flushed = true;
              channelWritabilityChanged(ctx);
            }
          }
        };
    channel.pipeline().addLast(handler, connection);
    receive(8_900);
    assertThat(connection.waitsForServer()).isTrue();
    channel.pipeline().fireChannelInactive();
    assertThat(LaterTurns.of(LaterTurns.Kind.LONG_STEP, true).isEmpty()).isTrue();
  }

  /** It does not wait for the turn of what its client has sent after it. */
  @Test
  void anAnswerIsSentBeforeTheTurnOfALongRequestBehindIt() {
    Connection connection = connection(LoneConnections.held(Long.MAX_VALUE));
    List<Object> sent = new ArrayList<>();
    Late handler =
        new Late(
            connection,
            ctx -> {
              ctx.write(Unpooled.wrappedBuffer(new byte[1]));
              ((RequestHandler) ctx.handler()).answered(ctx, 1, 0, false);
              sent.addAll(channel.outboundMessages());
            });
    channel.pipeline().addLast(handler, connection);
    receive(1);
    receive(8_900);
    result.complete("");
    channel.runPendingTasks();
    assertThat(sent).hasSize(1);
    assertThat(connection.waitsForServer()).as("for the turn").isFalse(); // it has had it
  }

  @Test
  void anErrorAfterTheClientHasClosedItsSendingSideClosesTheConnection() {
    Taking handler = take(LoneConnections.held(Long.MAX_VALUE));
    handler.least = 2;
    receive(1);
    handler.fails = true;
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    assertThat(channel.isOpen()).isTrue();
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  /** It would hold the IDs of the request for the rest of the second. */
  @Test
  void theTimeOfAHalfClosedClientEndsWithItsResult() {
    Connection connection = connection(LoneConnections.held(Long.MAX_VALUE));
    Late handler = new Late(connection, ctx -> {});
    channel.pipeline().addLast(handler, connection);
    receive(1);
    channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    channel.runPendingTasks();
    assertThat(channel.runScheduledPendingTasks()).isPositive();
    result.complete("");
    channel.runPendingTasks();
    assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
  }

  @Test
  void anErrorInATurnClosesTheConnection() {
    Taking handler = take(LoneConnections.held(Long.MAX_VALUE));
    handler.fails = true;
    receive(8193);
    assertThat(channel.isOpen()).isTrue();
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }

  /** Its rest comes later, as its client sends it. */
  @Test
  void aConnectionIsReadOnAfterATurnThatFoundAllOfIt() {
    Taking handler = takeWhileTooManyWait(new HeldClock());
    handler.least = 60_000;
    channel.unread = 100;
    readFull(handler);
    channel.runPendingTasks();
    assertThat(handler.taken).isEmpty();
    assertThat(channel.config().isAutoRead()).isTrue();
    assertThat(handler.connection.waitsForServer()).isFalse();
  }

  /** The start of a request presents the token: what strangers hold does not matter after it. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theRestOfALongRequestWaitsForStrangersOnlyWithoutAToken(boolean token) {
    HeldClock time = new HeldClock();
    HeldBytes held = LoneConnections.held(1 << 20);
    EmbeddedChannel stranger = LoneConnections.channelFrom("127.0.0.2");
    LoneConnections.of(stranger, limits, false, held, time).turnEnded(600_000);
    Taking handler = new Taking(LoneConnections.of(channel, limits, false, held, time), limits);
    channel.pipeline().addLast(handler, handler.connection);
    handler.least = 60_000;
    handler.caller = token ? LoneConnections.caller(time) : null;
    assertThat(handler.handle.guess()).isEqualTo(1024);
    readFull(handler);
    assertThat(channel.config().isAutoRead()).isEqualTo(token);
    assertThat(handler.connection.waitsForServer()).isEqualTo(!token);
    channel.runPendingTasks(); // its turn, if it has one
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  /** Of a client that has closed its sending side, all is read at once. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatComesWhileALongRequestWaitsIsCountedOrTaken(boolean room) {
    HeldBytes held = LoneConnections.held(2L * (room ? 30_000 : 29_999));
    Taking handler = take(held);
    for (int i = 0; i < 3; i++) {
      receive(10_000);
    }
    assertThat(handler.taken).isEqualTo(room ? List.of() : List.of(30_000));
    assertThat(held.addWaiting(29_999)).isEqualTo(!room);
    held.removeWaiting(room ? 0 : 29_999);
    channel.runPendingTasks();
    assertThat(handler.taken).containsExactly(30_000);
    assertThat(channel.isOpen()).isTrue();
    assertThat(held.addWaiting(29_999)).isTrue();
  }

  @Test
  void whatAClientThatLeavesHasWaitingIsNotCounted() {
    HeldBytes held = LoneConnections.held(2 * 10_000);
    take(held);
    receive(10_000);
    assertThat(held.addWaiting(1)).isFalse();
    channel.close();
    assertThat(held.addWaiting(10_000)).isTrue();
  }

  /** A pipeline of short ones does not wait for room. */
  @Test
  void shortRequestsAreTakenAtOnceWhenTooManyWait() {
    HeldBytes held = LoneConnections.held(1 << 20);
    Taking handler = take(held);
    assertThat(held.addWaiting(500_000)).isTrue();
    EmbeddedChannel another = LoneConnections.channelFrom("127.0.0.2");
    LoneConnections.of(another, limits, true, held, new HeldClock()).turnEnded(1 << 20);
    channel.unread = 20_000;
    readFull(handler);
    assertThat(handler.taken).hasSize(1);
    channel.runPendingTasks();
    assertThat(channel.unread).isZero();
    assertThat(handler.taken).hasSize(1 + 20);
    assertThat(channel.config().isAutoRead()).isTrue();
  }

  /** A client could send as much as it likes until it is disconnected. */
  @Test
  void muchThatComesAfterTheLastAnswerIsDroppedInLaterTurns() {
    Taking handler = take(LoneConnections.held(Long.MAX_VALUE));
    channel.pipeline().addFirst(new Unsent());
    handler.last = true;
    readFull(handler); // this channel runs what is scheduled when it sends
    for (int i = 0; i < 3; i++) {
      readFull(handler);
      assertThat(channel.config().isAutoRead()).isFalse();
      assertThat(handler.connection.waitsForServer()).isTrue();
      assertThat(LaterTurns.of(LaterTurns.Kind.LONG_STEP, true).isEmpty())
          .as("no request waits for it")
          .isTrue();
      channel.runPendingTasks();
      assertThat(channel.config().isAutoRead()).isTrue();
      assertThat(handler.connection.waitsForServer()).isFalse();
    }
    handler.handle.lastBytesRead(1);
    receive(1);
    assertThat(channel.config().isAutoRead()).isTrue();
    assertThat(handler.taken).containsExactly(2048);
  }

  /** Looks like TLS, and encrypts nothing. */
  private static final class PlainTls extends SslHandler {

    PlainTls() throws NoSuchAlgorithmException {
      super(SSLContext.getDefault().createSSLEngine());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {}

    @Override
    public void read(ChannelHandlerContext ctx) {
      ctx.read();
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ctx.write(message, promise);
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
      ctx.flush();
    }
  }

  /** Each record takes the time of a hundred bytes, or more. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aRequestInManyTinyRecordsIsNotReadToItsEnd(boolean tls) throws Exception {
    Taking handler = take(LoneConnections.held(Long.MAX_VALUE));
    handler.least = 1_000;
    ChannelHandlerContext ctx = channel.pipeline().context(handler);
    if (tls) {
      channel.pipeline().addFirst(new PlainTls());
    }
    for (int i = 0; i < 520; i++) {
      handler.channelRead(ctx, Unpooled.wrappedBuffer(new byte[1]));
    }
    assertThat(channel.isOpen()).isTrue();
    handler.channelRead(ctx, Unpooled.wrappedBuffer(new byte[1]));
    assertThat(channel.isOpen()).isEqualTo(!tls);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void requestsInTinyRecordsAreAnswered(boolean pending) throws Exception {
    Taking handler = take(LoneConnections.held(Long.MAX_VALUE));
    handler.pending = pending;
    ChannelHandlerContext ctx = channel.pipeline().context(handler);
    channel.pipeline().addFirst(new PlainTls());
    for (int i = 0; i < 1_000; i++) {
      handler.channelRead(ctx, Unpooled.wrappedBuffer(new byte[1]));
    }
    assertThat(handler.taken).hasSize(pending ? 1 : 1_000); // the others come after its answer
    assertThat(channel.isOpen()).isTrue();
  }

  /** Sends nothing, so that the connection stays open for what it still has to send. */
  private static final class Unsent extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      ReferenceCountUtil.release(message);
    }
  }

  @Test
  void closesTheConnectionWhenALateAnswerFails() {
    Connection connection = connection(LoneConnections.held(Long.MAX_VALUE));
    Late handler =
        new Late(
            connection,
            ctx -> {
              throw new IllegalStateException("broken");
            });
    channel.pipeline().addLast(handler, connection);
    channel.writeInbound(Unpooled.copiedBuffer(new byte[1]));
    assertThat(channel.isOpen()).isTrue();
    result.complete("");
    channel.runPendingTasks();
    assertThat(channel.isOpen()).isFalse();
  }
}
