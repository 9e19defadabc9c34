package io.firn.gates.planted.evasion;

import io.firn.gates.planted.lease.Renewal;
import io.firn.gates.planted.segment.Step;

/** Uses a segment, and a lease as well. */
record Counter(Step step, Renewal renewal) {}
