package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class KnownAddressesTest {

  private final KnownAddresses known = new KnownAddresses();
  private final Caller caller = LoneConnections.caller(new HeldClock());

  @Test
  void knowsTheLatest() {
    for (int i = 0; i < KnownAddresses.MOST; i++) {
      known.add(i, caller);
    }
    known.add(0, caller); // again
    known.add(KnownAddresses.MOST, caller);
    assertThat(known.contains(0)).isTrue();
    assertThat(known.contains(1)).isFalse();
    assertThat(known.contains(2)).isTrue();
    assertThat(known.contains(KnownAddresses.MOST)).isTrue();
  }

  @Test
  void doesNotKnowAnAddressWhoseTokenWasRemoved() {
    known.add("host", caller);
    caller.revoke();
    assertThat(known.contains("host")).isFalse();
  }
}
