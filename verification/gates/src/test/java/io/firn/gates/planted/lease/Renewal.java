package io.firn.gates.planted.lease;

import io.firn.gates.planted.segment.Step;

/** Knows a segment. */
public class Renewal {
  Step step() {
    return new Step.Builder().size(1).build();
  }
}
