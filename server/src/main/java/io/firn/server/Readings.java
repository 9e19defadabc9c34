package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The sizes of the readings of one connection. A loop reads once, at most 64 KiB, before it serves
 * its other connections. While too many long requests wait for their turns, it reads 2 KiB only:
 * the rest of a long request stays in the kernel until the connection is granted a whole reading.
 * Used by one loop.
 */
final class Readings extends AdaptiveRecvByteBufAllocator {

  private static final int MAX_BYTES = 64 << 10;
  private static final int MAX_SHORT_BYTES = 2 << 10;

  private static final FastThreadLocal<@Nullable Readings> GRANTED = new FastThreadLocal<>();

  private final BooleanSupplier areShort;
  private boolean isShort;
  private boolean isCut;

  /**
   * Creates the sizes of a connection.
   *
   * @param areShort returns whether readings are short now
   */
  Readings(BooleanSupplier areShort) {
    this.areShort = areShort;
    maxMessagesPerRead(1);
  }

  /** Returns whether the last reading was a short one that took all that it could take. */
  boolean isCut() {
    return isCut;
  }

  /**
   * Makes the next reading a whole one, unless another connection of the loop is granted one
   * before.
   */
  void grant() {
    isCut = false;
    GRANTED.set(this);
  }

  /** Returns whether the reading now, or the next one, was granted. */
  boolean isGranted() {
    return GRANTED.get() == this;
  }

  /** Reports that what was read is taken. */
  void taken() {
    if (isGranted()) {
      GRANTED.remove();
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
      if (isGranted()) {
        isShort = false;
        return MAX_BYTES;
      }
      isShort = areShort.getAsBoolean();
      return isShort ? Math.min(MAX_SHORT_BYTES, adaptive.guess()) : adaptive.guess();
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      return allocator.ioBuffer(guess());
    }

    @Override
    public void lastBytesRead(int bytes) {
      super.lastBytesRead(bytes);
      isCut = isShort && bytes == attemptedBytesRead();
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMore) {
      return adaptive.continueReading(maybeMore);
    }
  }
}
