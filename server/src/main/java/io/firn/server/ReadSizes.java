package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntSupplier;

/**
 * The sizes of the readings of one connection. A loop reads once, at most 64 KiB, before it serves
 * its other connections. While clients hold much together, it reads less: the rest of a long
 * request stays in the kernel until the connection is granted its readings. Used by one loop.
 */
final class ReadSizes extends AdaptiveRecvByteBufAllocator {

  /** So little that what follows a request, and is read with its end, takes little memory. */
  private static final int MAX_GRANTED_BYTES = 8 << 10;

  /**
   * The connections of a loop that have grants. A loop that has many to read from comes to one that
   * was granted its readings after the turns of some others.
   */
  private static final int MAX_GRANTS = 128;

  /** The connections of a loop that have grants, the oldest first. */
  private static final FastThreadLocal<Deque<ReadSizes>> GRANTED =
      new FastThreadLocal<>() {
        @Override
        protected Deque<ReadSizes> initialValue() {
          return new ArrayDeque<>(MAX_GRANTS + 1);
        }
      };

  private final IntSupplier mostBytes;
  private boolean granted;
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
   * Returns whether the last reading was a short one that took all that it could take, and the next
   * one would be short as well.
   */
  boolean isCut() {
    return isShort && isFull && areShort();
  }

  private boolean areShort() {
    return mostBytes.getAsInt() < HeldBytes.MAX_READING_BYTES;
  }

  /**
   * Grants the connection its readings until a request is complete, or there is no more to read. It
   * loses the grant when many others have their turns before.
   */
  void grant() {
    isShort = false;
    if (!granted) {
      granted = true;
      Deque<ReadSizes> all = GRANTED.get();
      all.add(this);
      if (all.size() > MAX_GRANTS) {
        all.remove().granted = false;
      }
    }
  }

  /** Returns whether the reading now, or the next one, was granted. */
  boolean isGranted() {
    return granted;
  }

  /**
   * Reports that what was read is taken, which ends a grant if there is no more to read.
   *
   * @param complete whether a request was complete, which ends it as well
   */
  void taken(boolean complete) {
    if (granted && (complete || !isFull)) {
      granted = false;
      GRANTED.get().remove(this);
    }
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
      if (granted) {
        isShort = false;
        return MAX_GRANTED_BYTES;
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
