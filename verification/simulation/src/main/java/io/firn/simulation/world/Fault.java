package io.firn.simulation.world;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The faults of the simulated world. */
public enum Fault {
  /** A node's clock runs too fast or too slow. */
  DRIFT,
  /** A node's clock steps, forward or back. */
  STEP,
  /** A node's clock is wrong by a day. */
  DAY_OFF,
  /** A node's clock is stopped. */
  FREEZE,
  /** A node comes back from a crash with another time. */
  RESTART_JUMP,
  /** A thread is stopped between reading the clock and using what it read. */
  SLOW_READ,
  /** A whole process is stopped, its keeper too. */
  PAUSE,
  /** A process dies without a word and is started again. */
  CRASH,
  /** A process starts over and over again. */
  CRASH_LOOP,
  /** A process is stopped cleanly and started again. */
  CLOSE,
  /** A process that is stopped is taken for dead and replaced; later it continues. */
  TWIN,
  /** A call to the store takes long. */
  DELAY,
  /** A call does not reach the store. */
  LOST_REQUEST,
  /** The store's answer is lost. */
  LOST_REPLY,
  /** A write whose caller has given up reaches the store later. */
  LATE_WRITE,
  /** A scan shows an old state. */
  STALE_SCAN,
  /** One node does not reach the store. */
  PARTITION,
  /** No node reaches the store. */
  OUTAGE,
  /** The store loses every register. */
  FORGET,
  /** The store falls back to what it held some time ago. */
  FALL_BACK,
  /** The store loses its newest write. */
  FAILOVER,
  /**
   * The store shows a write that it does not acknowledge, and that a restart may take back. No
   * acknowledged write is lost: this is a store that keeps its word.
   */
  UNKEPT_WRITE,
  /** A process continues twice, as from a snapshot of its machine. */
  COPY,
  /** A call to the store takes longer than any window. */
  HANG,
  /** The store's client throws an Error, before or after the call was made. */
  ERROR,
  /** The store changes its identity and keeps what it has. */
  NEW_IDENTITY,
  /** The store goes back to any state that it ever had, and changes its identity. */
  ROLL_BACK,
  /** The store loses every register, and may keep its identity. */
  FLUSH,
  /** A store that was lost goes on answering for a while, beside the new one. */
  SPLIT,
  /** Each reading of a clock is off, by half the allowed skew at most. */
  CLOCK_ERROR,
  /** A single reading of a clock is wrong by a year. */
  WRONG_READING,
  /** The store's clock is wrong by an hour or a day for a while, often after a loss. */
  STORE_CLOCK;

  /** Faults that were added later, so that a seed keeps standing for the same run. */
  public static final Set<Fault> LATER = Set.copyOf(EnumSet.range(FAILOVER, STORE_CLOCK));

  /** Faults that break the one assumption of the guarantee. */
  public static final Set<Fault> AMNESIA = Set.copyOf(EnumSet.of(FORGET, FALL_BACK, FAILOVER));

  /** Faults of a store that loses what it acknowledged, and has an identity. */
  static final Set<Fault> LOSSES =
      Set.copyOf(EnumSet.of(NEW_IDENTITY, ROLL_BACK, FLUSH, SPLIT, CLOCK_ERROR, STORE_CLOCK));

  /** The faults of clocks. */
  static final Set<Fault> CLOCKS =
      Set.copyOf(EnumSet.of(DRIFT, STEP, DAY_OFF, FREEZE, RESTART_JUMP));

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public static Fault of(String label) {
    return Arrays.stream(values())
        .filter(fault -> fault.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "faults: "
                        + label
                        + " (expected: one of "
                        + Arrays.stream(values())
                            .map(Fault::label)
                            .collect(Collectors.joining(", "))
                        + ")"));
  }
}
