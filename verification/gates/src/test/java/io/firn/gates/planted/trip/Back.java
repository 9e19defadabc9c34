package io.firn.gates.planted.trip;

import io.firn.gates.planted.round.There;

/** Half of a cycle. */
public class Back {
  There there() {
    return new There();
  }
}
