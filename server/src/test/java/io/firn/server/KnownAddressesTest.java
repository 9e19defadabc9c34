package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class KnownAddressesTest {

  private final KnownAddresses known = new KnownAddresses();

  @Test
  void knowsTheLatest() {
    for (int i = 0; i < KnownAddresses.MOST; i++) {
      known.add(i);
    }
    known.add(0); // again
    known.add(KnownAddresses.MOST);
    assertThat(known.contains(0)).isTrue();
    assertThat(known.contains(1)).isFalse();
    assertThat(known.contains(2)).isTrue();
    assertThat(known.contains(KnownAddresses.MOST)).isTrue();
  }
}
