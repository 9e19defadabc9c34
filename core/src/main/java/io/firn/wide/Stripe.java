package io.firn.wide;

import io.firn.internal.PaddedCounter;
import io.firn.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** One buffer of a {@link Keystream}, for one thread at a time. */
final class Stripe {

  /** Four UUIDs: a process that makes few of them pays for few. */
  private static final int FIRST_BYTES = 64;

  /** Below it, a key costs more than the bytes themselves do. */
  private static final int FIRST_CIPHER_BYTES = 1 << 10;

  private static final int MAX_BYTES = 1 << 13;

  private static final int KEY_BYTES = 32;
  private static final IvParameterSpec FIRST_BLOCK = new IvParameterSpec(new byte[16]);
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);

  private static final long HELD = -1;

  private final TimeSource time;

  /** The number of used bytes of the buffer, or {@link #HELD}. */
  private final PaddedCounter state = new PaddedCounter(0);

  private byte[] buffer = new byte[0];
  private int position;
  private @Nullable Cipher cipher;

  Stripe(TimeSource time) {
    this.time = time;
  }

  /** Takes the stripe for the calling thread, unless another one has it. */
  boolean tryHold() {
    long seen = state.peek();
    if (seen == HELD || !state.compareAndSet(seen, HELD)) {
      return false;
    }
    position = (int) seen;
    return true;
  }

  void release() {
    state.setRelease(position);
  }

  /** Returns the next 64 bits. For the thread that holds the stripe. */
  long next() {
    if (position == buffer.length) {
      refill();
    }
    long bits = (long) LONGS.get(buffer, position);
    LONGS.set(buffer, position, 0L);
    position += Long.BYTES;
    return bits;
  }

  /** Refills the buffer, which is all zeros here: what was handed out was wiped. */
  private void refill() {
    int size = Math.min(Math.max(FIRST_BYTES, buffer.length * 2), MAX_BYTES);
    byte[] fresh = size == buffer.length ? buffer : new byte[size];
    if (size < FIRST_CIPHER_BYTES) {
      time.randomBytes(fresh);
    } else {
      encrypt(fresh);
    }
    buffer = fresh;
    position = 0;
  }

  private void encrypt(byte[] zeros) {
    byte[] key = new byte[KEY_BYTES];
    time.randomBytes(key);
    try {
      Cipher aes = cipher == null ? Cipher.getInstance("AES/CTR/NoPadding") : cipher;
      aes.init(Cipher.ENCRYPT_MODE, new SecretKeySpec(key, "AES"), FIRST_BLOCK);
      aes.update(zeros, 0, zeros.length, zeros);
      cipher = aes;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(
          "This Java has no AES/CTR/NoPadding; use a complete JDK or runtime image", e);
    } finally {
      Arrays.fill(key, (byte) 0);
    }
  }
}
