package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.IntSupplier;

/**
 * The sizes of the readings of one connection. A loop reads once, at most 64 KiB, before it serves
 * its other connections. While clients hold much together, it reads less: the rest of a long
 * request stays in the kernel until the connection has its turn. Used by one loop.
 */
final class ReadSizes extends AdaptiveRecvByteBufAllocator {

  /** So little that what follows a request, and is read with its end, takes little memory. */
  private static final int TURN_READING_BYTES = 8 << 10;

  private final IntSupplier mostBytes;
  private boolean inTurn;
  private boolean isShort;
  private boolean isFull;

  /**
   * Creates the sizes of a connection.
   *
   * @param mostBytes returns the most bytes of a reading now
   */
  ReadSizes(IntSupplier mostBytes) {
    this.mostBytes = mostBytes;
    maxMessagesPerRead(1);
  }

  /** Returns whether the last reading took all that it could take, so that there may be more. */
  boolean isFull() {
    return isFull;
  }

  /**
   * Returns whether the last reading, a short one or one of a turn that is over, took all that it
   * could take, and the next one would be short.
   */
  boolean isCut() {
    return !inTurn && isShort && isFull && areShort();
  }

  private boolean areShort() {
    return mostBytes.getAsInt() < HeldBytes.MAX_READING_BYTES;
  }

  /** Begins a reading in the connection's turn, which may find that there is nothing to read. */
  void beginInTurn() {
    inTurn = true;
    isFull = false;
  }

  /** Ends the turn. */
  void endTurn() {
    inTurn = false;
  }

  /** Returns whether the connection has its turn to read. */
  boolean isInTurn() {
    return inTurn;
  }

  @Override
  public ExtendedHandle newHandle() {
    return new Sizes(super.newHandle());
  }

  private final class Sizes extends DelegatingHandle implements ExtendedHandle {

    private final ExtendedHandle adaptive;

    @SuppressWarnings("deprecation") // as Netty declares it
    Sizes(Handle handle) {
      super(handle);
      adaptive = (ExtendedHandle) handle;
    }

    @Override
    public int guess() {
      if (inTurn) {
        isShort = true;
        return TURN_READING_BYTES;
      }
      int most = mostBytes.getAsInt();
      isShort = most < HeldBytes.MAX_READING_BYTES;
      return Math.min(most, adaptive.guess());
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      return allocator.ioBuffer(guess());
    }

    @Override
    public void lastBytesRead(int bytes) {
      super.lastBytesRead(bytes);
      isFull = bytes == attemptedBytesRead();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
      return adaptive.continueReading(maybeMore);
    }
  }
}
