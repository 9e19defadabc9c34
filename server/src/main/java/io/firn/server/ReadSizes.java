package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * The sizes of the readings of one connection. A loop reads once, at most 64 KiB, before it serves
 * its other connections. While clients hold much together, it reads less: the rest of a long
 * request stays in the kernel until the connection has its turn. Used by one loop.
 */
final class ReadSizes extends AdaptiveRecvByteBufAllocator {

  private final IntSupplier mostBytes;

  /** The most bytes of a reading in the turn that the connection has; 0 if it has none. */
  private int mostInTurn;

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
   * Returns whether the last reading left the rest of what has come to a turn, if there is more.
   */
  boolean leftMore() {
    return isFull && (isInTurn() || mostBytes.getAsInt() < HeldBytes.MAX_READING_BYTES);
  }

  /** Returns whether {@link #leftMore()}, and no turn goes on. */
  boolean isCut() {
    return !isInTurn() && leftMore();
  }

  /**
   * Reads from the connection in its turn, as long as there is more and the turn goes on. It may
   * find that there is nothing to read.
   *
   * @param most the most bytes of a reading
   * @param goesOn asked after each reading
   */
  void readInTurn(Channel channel, int most, BooleanSupplier goesOn) {
    mostInTurn = most;
    try {
      do {
        isFull = false;
        Transport.readNow(channel);
      } while (isFull && goesOn.getAsBoolean());
    } finally {
      mostInTurn = 0;
    }
  }

  /** Returns whether the connection has its turn to read. */
  boolean isInTurn() {
    return mostInTurn > 0;
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
      return isInTurn() ? mostInTurn : Math.min(mostBytes.getAsInt(), adaptive.guess());
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
