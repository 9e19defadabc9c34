package io.firn.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FreePortTest {

  @Test
  void noPortIsReturnedTwice() {
    Set<Integer> ports = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      assertThat(ports.add(FreePort.next())).isTrue();
    }
  }
}
