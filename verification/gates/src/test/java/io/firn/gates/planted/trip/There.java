package io.firn.gates.planted.trip;

import org.assertj.core.api.Assertions;

/** Has the name of another class, and a dependency. */
class There {
  void check() {
    Assertions.assertThat(hashCode()).isNotZero();
  }
}
