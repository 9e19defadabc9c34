package io.firn.server;

import io.firn.server.Connection.Phase;
import io.firn.server.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads the requests of one connection and answers them in their order. A protocol extends it to
 * decode requests and to encode answers. All calls are made by the connection's event loop.
 *
 * <h2>How it works</h2>
 *
 * Requests that arrive together are answered in one turn, and their answers leave together. A turn
 * ends after a limited number of requests, and at the first one after a millisecond, so that a
 * greedy client does not delay the other connections of the loop. What is left of a long pipeline
 * waits among the {@link LaterTurns}. While others wait there, the turn in which a pipeline is read
 * is a short one. A long request, or a long part of a pipeline, waits there from the start: one
 * reading can find a hundred of them, and short requests come first. When clients hold much
 * together, {@link ReadSizes} makes readings short, and the rest of a long request, or of a
 * pipeline, is read in its turn. A long request has its turn when there is room for it, or within a
 * second: what a client sent with pauses has come by then, so that it is complete in one turn. One
 * that may be short does not wait for room.
 *
 * <p>What comes after the last answer is read and dropped, as far as the client sends it in time.
 *
 * <p>Nothing is read while an answer is pending, while the client does not read the answers it was
 * sent, and between the turns of a long pipeline. So a connection holds at most one reading of the
 * socket and one answer above the water mark. There is one exception: when the client has closed
 * its sending side, the rest that the system has received is read at once. {@link HeldBytes} limits
 * what all connections hold together.
 */
public abstract class RequestHandler extends ChannelInboundHandlerAdapter {

  /** A part of a request is kept in a buffer of about its size, not in one for a whole reading. */
  private static final int MAX_SLACK_BYTES = 1 << 8;

  /** The part by which a buffer grows beyond what is needed now. */
  private static final int GROWTH_SHARE = 4;

  private static final long MAX_TURN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The time that a request may wait for its IDs after its client has closed its sending side. */
  private static final long MAX_WAIT_SECONDS = 1;

  /**
   * The bytes of a reading of a long request in its turn: so few that what follows it, and is read
   * with its end, takes little memory.
   */
  private static final int TURN_READING_BYTES = 8 << 10;

  /** More bytes than this wait for a later turn: they can take a millisecond. */
  private static final int MAX_FIRST_BYTES = 8 << 10;

  /**
   * The records of TLS that a request may come in, however small. Each takes some microseconds. A
   * client can send each length, value, and line end of a hundred and fifty arguments in one of its
   * own.
   */
  private static final int MAX_SMALL_RECORDS = 512;

  /** The bytes that a request has at least for each of the others. */
  private static final int MIN_RECORD_BYTES = 64;

  /** The limits of a turn right after a reading, while long pipelines wait for their turns. */
  private static final int SHORT_TURN_REQUESTS = 128;

  private static final long SHORT_TURN_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

  private final Connection connection;
  private final AwaitedTurn turn;
  private final int pipeline;
  private ByteBuf in = Unpooled.EMPTY_BUFFER;

  /** Requests that are answered but not reported to the connection yet. */
  private int answered;

  /** The number of them that were refused. */
  private int refused;

  /** The result that the request that is being answered waits for. */
  private @Nullable CompletableFuture<?> pending;

  private boolean inTurn;

  /** In how many parts a request has come that is not complete. */
  private int parts;

  /** The bytes that have come. */
  private long receivedBytes;

  /** The bytes that had come when the last request was taken. */
  private long takenBytes;

  /** True once the client has closed its sending side. */
  private boolean readAll;

  /** True once requests are refused that would wait. */
  private boolean graceEnded;

  private boolean answering;
  private boolean closing;
  private boolean ended;

  /** Creates the handler of a connection. */
  protected RequestHandler(Connection connection, Limits limits) {
    this.connection = connection;
    turn = new AwaitedTurn(connection, this::reportWaiting);
    pipeline = limits.pipeline();
  }

  /**
   * Takes the next request. If it is complete, calls {@link #begin}, and {@link #answered} now or
   * later. A handler may take several requests at once.
   *
   * @param in the bytes received, at least one; what is left of them is kept for the next call
   * @param most the most requests to take
   * @return how many requests were complete; 0 if more bytes are needed
   * @throws Exception to close the connection
   */
  protected abstract int take(ChannelHandlerContext ctx, ByteBuf in, int most) throws Exception;

  /** Returns whether {@link #take} consumed a part of a request that is not complete. */
  protected boolean hasPart() {
    return false;
  }

  /** Returns the length, in bytes, of the request that has begun; 0 if it is not known. */
  protected long knownBytes() {
    return 0;
  }

  /** Returns the memory, in bytes, of what {@link #take} keeps of requests. */
  protected long keptBytes() {
    return 0;
  }

  /** Sends the answers that were written. */
  protected void flush(ChannelHandlerContext ctx) {
    ctx.flush();
  }

  /** Releases the answers that were not sent, because the client is gone. */
  protected void discard() {}

  /** Reports that a request is complete. No other is taken until {@link #answered}. */
  protected final void begin() {
    answering = true;
    if (answered == 0) {
      connection.enter(Phase.ANSWERING);
    }
  }

  /**
   * Reports that the request that began is answered.
   *
   * @param count how many requests the answer is for
   * @param refusals how many of them were refused
   * @param last whether the connection closes after the answer
   */
  protected final void answered(ChannelHandlerContext ctx, int count, int refusals, boolean last) {
    answering = false;
    answered += count;
    refused += refusals;
    closing |= last;
    if (!inTurn) {
      takeFirstTurn(ctx);
    }
  }

  /** Reports why a request was refused, beside {@link #answered}. */
  protected final void refused(RequestException.Kind reason) {
    connection.refused(reason);
  }

  /**
   * Goes on with a result on the connection's event loop once it is there. If the client leaves
   * before, it is canceled.
   *
   * @param next takes the result, or null and the failure
   */
  protected final <T> void whenDone(
      ChannelHandlerContext ctx,
      CompletableFuture<T> result,
      BiConsumer<@Nullable T, @Nullable Throwable> next) {
    pending = result;
    reportWaiting();
    limitWait(ctx);
    result.whenCompleteAsync(
        (value, failure) -> {
          pending = null;
          reportWaiting();
          if (!ended) {
            proceed(ctx, () -> next.accept(value, failure));
          }
          if (pending != null) { // a request can wait for several results
            reportHeld();
          }
        },
        ctx.executor());
  }

  /** Returns whether a turn that began then has taken as long as a turn may. */
  protected final boolean isTurnOver(long beginNanos) {
    return connection.nanoTime() - beginNanos > MAX_TURN_NANOS;
  }

  /** Returns the time at which a turn begins. */
  protected final long turnBegin() {
    return connection.nanoTime();
  }

  /** Goes on with a request after other clients have had their turns, unless its client leaves. */
  protected final void goOnLater(ChannelHandlerContext ctx, Runnable next) {
    CompletableFuture<Void> later = new CompletableFuture<>();
    AwaitedTurn goingOn = new AwaitedTurn(connection, () -> {});
    goingOn.await(pipelines(), ctx, () -> later.complete(null));
    later.whenComplete((nothing, failure) -> goingOn.end());
    whenDone(ctx, later, (nothing, failure) -> next.run());
  }

  /** Runs a step outside of a reading, whose failure the pipeline does not see. */
  static void proceed(ChannelHandlerContext ctx, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) { // as the pipeline does
      ctx.fireExceptionCaught(e);
    }
  }

  /**
   * Reports that the client presented the token of a caller.
   *
   * @throws RequestException if that caller has as many connections as it may have
   */
  protected final void authenticated(Caller caller) {
    connection.authenticate(caller);
  }

  /**
   * Returns whether the server is stopping, so that the connection closes after the next answer.
   */
  protected final boolean isStopping() {
    return connection.isStopping();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf read = (ByteBuf) message;
    connection.read();
    if (ended || connection.isClosing()) {
      read.release();
      dropMore(ctx);
      return;
    }
    receivedBytes += read.readableBytes();
    append(ctx, read);
    takeFirstTurn(ctx);
  }

  /**
   * Ends the connection of a client that has closed its sending side once it has its answers. A
   * client that has left looks the same, so that each request waits a second at most. Refuses
   * requests that wait at the end of a stop.
   */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE && !ended) {
      readAll = true;
      limitWait(ctx);
      ctx.executor() // later, because it may close the channel, which is in use
          .execute(() -> proceed(ctx, () -> takeFirstTurn(ctx)));
    } else if (event == Connection.GRACE_END) {
      graceEnded = true;
      limitWait(ctx);
    }
    ctx.fireUserEventTriggered(event);
  }

  /**
   * Refuses what is awaited now if it may not wait, or when it has waited for as long as it may.
   */
  private void limitWait(ChannelHandlerContext ctx) {
    CompletableFuture<?> awaited = pending;
    if (awaited == null || awaited.isDone()) {
      return;
    }
    if (graceEnded) {
      awaited.completeExceptionally(RequestException.stopping());
    } else if (readAll) {
      ScheduledFuture<?> end =
          ctx.executor()
              .schedule(
                  () -> awaited.completeExceptionally(waitedHalfClosed()),
                  MAX_WAIT_SECONDS,
                  TimeUnit.SECONDS);
      awaited.whenComplete((value, failure) -> end.cancel(false));
    }
  }

  private static RequestException waitedHalfClosed() {
    return new RequestException(
        RequestException.Kind.UNAVAILABLE,
        "The answer was not ready a second after the client closed its sending side; keep it open"
            + " until the answer arrives");
  }

  /** Takes a turn after something happened to the connection, unless a later one is waited for. */
  private void takeFirstTurn(ChannelHandlerContext ctx) {
    if (ended) {
      return;
    }
    if (turn.isAwaited()) {
      if (!turn.count(in.readableBytes())) {
        takeShareOfTurns(ctx);
      }
    } else if (in.readableBytes() > MAX_FIRST_BYTES
        && !connection.readSizes().isInTurn()
        && mayTake(ctx)
        && turn.count(in.readableBytes())) {
      ctx.channel().config().setAutoRead(false);
      flush(ctx); // an answer before it, which may have come now
      if (!ended && !turn.isAwaited()) { // its sending can have had this called again
        report(Phase.READING);
        shrink(ctx);
        turn.await(longSteps(), ctx, () -> takeShareOfTurns(ctx));
      }
    } else {
      takeShareOfTurns(ctx);
    }
  }

  private void reportWaiting() {
    connection.waitsForServer(turn.isAwaited() || pending != null);
  }

  private void takeShareOfTurns(ChannelHandlerContext ctx) {
    if (pipelines().isEmpty() || connection.readSizes().isInTurn()) {
      takeWholeTurn(ctx);
    } else {
      takeTurn(ctx, Math.min(pipeline, SHORT_TURN_REQUESTS), SHORT_TURN_NANOS);
    }
  }

  private void takeWholeTurn(ChannelHandlerContext ctx) {
    takeTurn(ctx, pipeline, MAX_TURN_NANOS);
  }

  private LaterTurns pipelines() {
    return LaterTurns.of(LaterTurns.Kind.PIPELINE, connection.isKnown());
  }

  private LaterTurns longSteps() {
    return LaterTurns.of(LaterTurns.Kind.LONG_STEP, connection.isKnown());
  }

  private void append(ChannelHandlerContext ctx, ByteBuf read) {
    if (!in.isReadable()) {
      in.release();
      in = read;
      return;
    }
    try {
      if (in.writableBytes() < read.readableBytes()) {
        int bytes = in.readableBytes() + read.readableBytes();
        moveTo(ctx.alloc().buffer(bytes + bytes / GROWTH_SHARE));
      }
      in.writeBytes(read);
    } finally {
      read.release();
    }
  }

  private void shrink(ChannelHandlerContext ctx) {
    int bytes = in.readableBytes();
    if (in.capacity() > bytes + bytes / GROWTH_SHARE + MAX_SLACK_BYTES) {
      moveTo(ctx.alloc().buffer(bytes));
    }
  }

  private void moveTo(ByteBuf buffer) {
    buffer.writeBytes(in);
    in.release();
    in = buffer;
  }

  private void takeTurn(ChannelHandlerContext ctx, int most, long mostNanos) {
    if (ended) {
      return;
    }
    turn.end();
    int taken = 0;
    boolean more = true;
    long begin = connection.nanoTime();
    inTurn = true;
    try {
      while (mayTake(ctx) && taken < most && more && (taken == 0 || !isOver(begin, mostNanos))) {
        int count = in.isReadable() ? take(ctx, in, most - taken) : 0;
        taken += count;
        more = count > 0;
      }
      flush(ctx);
    } catch (Exception e) { // as the pipeline does
      ctx.fireExceptionCaught(e);
      return;
    } finally {
      inTurn = false;
    }
    if (taken > 0) {
      parts = 0;
      takenBytes = receivedBytes;
    } else if (!more) { // and not for lack of a turn, or of room for answers
      parts++;
    }
    if (closing) {
      end(ctx);
    } else if (partBytes() < (long) (parts - MAX_SMALL_RECORDS) * MIN_RECORD_BYTES
        && connection.hasTls()) {
      connection.close(Traffic.Closing.SLOW);
    } else {
      endTurn(ctx, more);
    }
    reportHeld();
  }

  private void reportHeld() {
    connection.turnEnded(in.readableBytes() + keptBytes());
  }

  private boolean isOver(long beginNanos, long mostNanos) {
    return in.isReadable() && connection.nanoTime() - beginNanos > mostNanos;
  }

  private boolean mayTake(ChannelHandlerContext ctx) {
    return !answering && !closing && ctx.channel().isWritable();
  }

  private void end(ChannelHandlerContext ctx) {
    ended = true;
    release();
    dropMore(ctx);
    report(Phase.QUIET);
    connection.closeGracefully();
  }

  /**
   * Reads on, to see the client close its side. Of what it still sends, a reading is dropped in a
   * turn.
   */
  private void dropMore(ChannelHandlerContext ctx) {
    boolean isMuch = connection.readSizes().isFull();
    ctx.channel().config().setAutoRead(!isMuch);
    if (isMuch && !turn.isAwaited()) {
      turn.await(
          LaterTurns.of(LaterTurns.Kind.ANSWERED, connection.isKnown()),
          ctx,
          () -> {
            turn.end();
            ctx.channel().config().setAutoRead(true);
            Transport.readNow(ctx.channel());
          });
    }
  }

  private void endTurn(ChannelHandlerContext ctx, boolean more) {
    boolean blocked = !mayTake(ctx);
    boolean yields = !blocked && more && in.isReadable();
    ctx.channel().config().setAutoRead(!blocked && !yields);
    if (in.isReadable()) {
      shrink(ctx);
    } else {
      release();
    }
    if (answering) {
      return; // the time of the pending answer continues
    }
    if (blocked || yields) {
      report(Phase.ANSWERING);
      if (yields) {
        turn.await(pipelines(), ctx, () -> takeWholeTurn(ctx));
      }
    } else if (readAll) {
      end(ctx);
    } else {
      awaitReading(ctx);
    }
  }

  /**
   * Reports the phase between two readings. Defers the rest of what the client has sent, which was
   * read in part, to a later turn.
   */
  private void awaitReading(ChannelHandlerContext ctx) {
    if (in.isReadable() || hasPart()) {
      report(Phase.READING);
    } else { // the rest of a pipeline is to be answered
      report(connection.readSizes().leftMore() ? Phase.ANSWERING : Phase.QUIET);
    }
    if (!connection.readSizes().isCut()) {
      return;
    }
    ctx.channel().config().setAutoRead(false);
    if (parts == 0) {
      turn.await(pipelines(), ctx, () -> readPipeline(ctx));
    } else if (Math.max(partBytes(), knownBytes()) < HeldBytes.SHORT_READING_BYTES
        && connection.held().mayBegin(connection)) {
      turn.await(longSteps(), ctx, () -> readTurn(ctx, HeldBytes.SHORT_READING_BYTES, () -> false));
    } else {
      turn.await(
          LaterTurns.of(LaterTurns.Kind.READING, connection.isKnown()),
          ctx,
          connection
              .held()
              .turn(connection, () -> readTurn(ctx, TURN_READING_BYTES, () -> parts > 0)));
    }
  }

  /** Returns how many bytes have come since a request was taken. */
  private long partBytes() {
    return receivedBytes - takenBytes;
  }

  /** Reads on until a turn is over, or a request is longer than a short reading. */
  private void readPipeline(ChannelHandlerContext ctx) {
    long begin = connection.nanoTime();
    readTurn(ctx, HeldBytes.SHORT_READING_BYTES, () -> parts == 0 && !isTurnOver(begin));
  }

  /**
   * Reads and takes what the client has sent, until there is no more. If the client has closed its
   * sending side meanwhile, all was read at that time.
   *
   * @param most the most bytes of a reading
   * @param goesOn asked after each reading
   */
  private void readTurn(ChannelHandlerContext ctx, int most, BooleanSupplier goesOn) {
    if (readAll) {
      takeShareOfTurns(ctx);
      return;
    }
    turn.end();
    long before = receivedBytes;
    ctx.channel().config().setAutoRead(true);
    connection
        .readSizes()
        .readInTurn(
            ctx.channel(),
            most,
            () -> ctx.channel().config().isAutoRead() && goesOn.getAsBoolean());
    if (parts > 0 && receivedBytes - before < HeldBytes.PROGRESS_BYTES) {
      connection.countLastWait();
    }
    if (!ended && ctx.channel().config().isAutoRead()) {
      awaitReading(ctx);
    }
  }

  /** Reports the answers to the connection, and its next phase. */
  private void report(Phase next) {
    if (answered == 0) {
      connection.enter(next);
    } else {
      connection.answered(answered, refused, next);
      answered = 0;
      refused = 0;
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!inTurn && ctx.channel().isWritable()) {
      takeFirstTurn(ctx);
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ended = true;
    if (pending != null) {
      pending.cancel(false);
    }
    turn.end();
    release();
    discard();
    ctx.fireChannelInactive();
  }

  private void release() {
    in.release();
    in = Unpooled.EMPTY_BUFFER;
  }
}
