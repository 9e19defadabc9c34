package io.firn.wide;

import io.firn.time.TimeSource;
import java.util.UUID;

/** UUIDs of version 4: 122 bits of a {@link Keystream}. */
final class RandomUuids implements WideIdGenerator<UUID> {

  private static final long VERSION_4 = 0x4000;

  private final Keystream keystream;

  RandomUuids(TimeSource time) {
    keystream = new Keystream(time);
  }

  @Override
  public UUID nextId() {
    Stripe stripe = keystream.hold();
    try {
      return new UUID(
          (stripe.next() & ~Uuids.VERSION_MASK) | VERSION_4,
          (stripe.next() & ~Uuids.VARIANT_MASK) | Uuids.RFC_VARIANT);
    } finally {
      stripe.release();
    }
  }
}
