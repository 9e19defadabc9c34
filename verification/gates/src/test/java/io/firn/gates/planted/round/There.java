package io.firn.gates.planted.round;

import io.firn.gates.planted.trip.Back;

/** Half of a cycle. */
public class There {
  Back back() {
    return new Back();
  }
}
