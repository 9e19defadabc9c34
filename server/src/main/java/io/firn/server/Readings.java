package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The sizes of the readings of one connection. A loop reads once, at most 64 KiB, before it serves
 * its other connections. While long requests wait for their turns, it reads 2 KiB only: the rest of
 * a long request stays in the kernel until the connection has its turn. Used by one loop.
 */
final class Readings extends AdaptiveRecvByteBufAllocator {

  private static final int MAX_BYTES = 64 << 10;
  private static final int MAX_SHORT_BYTES = 2 << 10;

  /**
   * The connections of a loop that may read all at once. A loop that has many to read from comes to
   * one that has had its turn after the turns of some others.
   */
  private static final int MAX_GRANTED = 32;

  /** The connections of a loop whose next reading is a whole one, in the order of their turns. */
  private static final FastThreadLocal<Deque<Readings>> GRANTED =
      new FastThreadLocal<>() {
        @Override
        protected Deque<Readings> initialValue() {
          return new ArrayDeque<>(MAX_GRANTED + 1);
        }
      };

  private boolean granted;
  private boolean isShort;
  private boolean full;

  Readings() {
    maxMessagesPerRead(1);
  }

  /** Returns whether the last reading took all bytes that it could take, so that more may wait. */
  boolean isFull() {
    return full;
  }

  /** Returns whether the last reading was full, and short because others waited for turns. */
  boolean isCut() {
    return full && isShort;
  }

  /** Makes the next reading a whole one, unless many other connections have turns before it. */
  void grant() {
    if (granted) {
      return;
    }
    granted = true;
    Deque<Readings> all = GRANTED.get();
    all.add(this);
    if (all.size() > MAX_GRANTED) {
      all.remove().granted = false;
    }
  }

  /** Returns whether the reading now, or the next one, is one that was granted. */
  boolean isGranted() {
    return granted;
  }

  /** Reports that a reading has ended. */
  void ended() {
    if (granted) {
      granted = false;
      GRANTED.get().remove(this);
    }
  }

  @Override
  public ExtendedHandle newHandle() {
    return new Sizes(super.newHandle());
  }

  private final class Sizes extends RecvByteBufAllocator.DelegatingHandle
      implements ExtendedHandle {

    private final ExtendedHandle adaptive;

    @SuppressWarnings("deprecation") // as Netty declares it
    Sizes(Handle handle) {
      super(handle);
      adaptive = (ExtendedHandle) handle;
    }

    @Override
    public int guess() {
      isShort = !granted && !LaterTurns.ofLongSteps().isEmpty();
      int bytes = granted ? MAX_BYTES : adaptive.guess();
      return isShort ? Math.min(MAX_SHORT_BYTES, bytes) : bytes;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      return allocator.ioBuffer(guess());
    }

    @Override
    public void lastBytesRead(int bytes) {
      super.lastBytesRead(bytes);
      full = bytes == attemptedBytesRead();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
      return adaptive.continueReading(maybeMore);
    }
  }
}
