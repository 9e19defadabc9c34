package io.firn.wide;

import io.firn.time.TimeSource;

/**
 * Random bits for IDs: as hard to foresee as {@link java.security.SecureRandom}'s, many times as
 * fast, and for many threads at once. Thread-safe; no thread waits for another.
 *
 * <h2>How it works</h2>
 *
 * AES-256 in counter mode turns a key of {@link TimeSource#randomBytes}, which is SecureRandom's,
 * into 8 KiB; the next 8 KiB have a new key. So there is no state that lives on, and no reseeding
 * to forget: learning one buffer reveals nothing about any other. Buffers begin with 64 bytes and
 * double; those below 1 KiB are not worth a key and come from SecureRandom as they are.
 *
 * <p>A thread takes the stripe of its number, which keeps threads apart, or the next one that is
 * free. If none is, it gets a temporary one.
 *
 * <h2>Copies of a running process</h2>
 *
 * A virtual machine or a container that is cloned or restored while it runs has its buffers twice,
 * and both copies hand out what is left in them: at most 8 KiB a stripe. Only a generator that is
 * made after the copy draws again.
 */
final class Keystream {

  private final TimeSource time;
  private final Stripe[] stripes;

  Keystream(TimeSource time) {
    this.time = time;
    stripes = new Stripe[Integer.highestOneBit(4 * Runtime.getRuntime().availableProcessors() - 1)];
    for (int i = 0; i < stripes.length; i++) {
      stripes[i] = new Stripe(time);
    }
  }

  /** Returns a stripe that the calling thread holds until it releases it. */
  Stripe hold() {
    int first = (int) Thread.currentThread().getId();
    for (int i = 0; i < stripes.length; i++) {
      Stripe stripe = stripes[(first + i) & (stripes.length - 1)];
      if (stripe.tryHold()) {
        return stripe;
      }
    }
    return new Stripe(time);
  }

  /** Returns the next 64 bits. */
  long nextLong() {
    Stripe stripe = hold();
    try {
      return stripe.next();
    } finally {
      stripe.release();
    }
  }
}
