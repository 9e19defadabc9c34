package io.firn.wide;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class KeystreamTest {

  /** Buffers of 64, 128, 256 and 512 bytes come before the first that has a key. */
  private static final int LONGS_WITHOUT_KEY = (64 + 128 + 256 + 512) / Long.BYTES;

  private final LoadedDice zeros = new LoadedDice(0);

  @Test
  void passesSmallBuffersOnAsTheyAre() {
    Keystream keystream = new Keystream(new LoadedDice(255));
    for (int i = 0; i < LONGS_WITHOUT_KEY; i++) {
      assertThat(keystream.nextLong()).isEqualTo(-1);
    }
    assertThat(keystream.nextLong()).isNotEqualTo(-1);
  }

  /** AES-256 of the blocks 0 and 1 under a key of zeros, as OpenSSL says. */
  @Test
  void isAesInCounterModeUnderANewKeyForEachLargeBuffer() {
    Keystream keystream = new Keystream(zeros);
    for (int i = 0; i < LONGS_WITHOUT_KEY; i++) {
      assertThat(keystream.nextLong()).isZero();
    }
    for (int size = 1 << 10; size <= 1 << 13; size *= 2) {
      assertThat(keystream.nextLong()).isEqualTo(0xdc95c078a2408989L);
      assertThat(keystream.nextLong()).isEqualTo(0xad48a21492842087L);
      assertThat(keystream.nextLong()).isEqualTo(0x530f8afbc74536b9L);
      assertThat(keystream.nextLong()).isEqualTo(0xa963b4f1c4cb738bL);
      skip(keystream, size / Long.BYTES - 4);
    }
    assertThat(keystream.nextLong()).isEqualTo(0xdc95c078a2408989L);
    skip(keystream, (1 << 13) / Long.BYTES - 1);
    assertThat(keystream.nextLong()).isEqualTo(0xdc95c078a2408989L);
  }

  private static void skip(Keystream keystream, int longs) {
    for (int i = 0; i < longs; i++) {
      keystream.nextLong();
    }
  }

  @Test
  void givesNoStripeToTwo() {
    Keystream keystream = new Keystream(zeros);
    List<Stripe> held = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      held.add(keystream.hold());
    }
    Set<Stripe> different = new HashSet<>(held);
    assertThat(different).hasSize(1_000);
    Stripe first = held.get(0);
    assertThat(first.tryHold()).isFalse();
    first.release();
    assertThat(keystream.hold()).isSameAs(first);
  }
}
