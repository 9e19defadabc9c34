package io.firn.simulation.world;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The parameters of one run, all of them drawn from its seed unless given.
 *
 * @param seed where every random number of the run comes from
 * @param subject what is run
 * @param terms what the processes have agreed on
 * @param scale how much there is
 */
public record Settings(long seed, Subject subject, Terms terms, Scale scale) {

  /** The start of simulated time: 2026-06-01T00:00Z. */
  public static final long START_MILLIS = 1_780_272_000_000L;

  /** Returns what that seed stands for, of leases; the store keeps what it acknowledged. */
  public static Settings of(long seed) {
    Numbers random = Numbers.of(seed, -1);
    boolean pinned = random.perMille(250);
    Scale scale =
        new Scale(
            (int) random.between(2, 5),
            random.perMille(300) ? 2 : 1,
            (int) random.between(6, 20),
            faults(random));
    return new Settings(seed, Subject.LEASES, terms(random, scale, pinned), scale);
  }

  private static Terms terms(Numbers random, Scale scale, boolean pinned) {
    boolean scarce = random.perMille(100) && !pinned;
    int bits = 64 - Long.numberOfLeadingZeros((long) scale.nodes() * scale.slots() - 1);
    long tick = random.oneOf(1, 1, 10, 50);
    long window = tick * random.oneOf(100, 1_000, 3_000);
    return new Terms(
        Math.max(1, bits - (scarce ? 1 : 0)) + random.below(3),
        (int) random.between(1, 4),
        tick,
        window,
        random.oneOf(0, 0, 5 * tick, window / 2),
        random.oneOf(0, window / 50, window / 4),
        Math.max(1, window / 6),
        random.perMille(500),
        pinned,
        random.perMille(100));
  }

  private static Set<Fault> faults(Numbers random) {
    EnumSet<Fault> faults = EnumSet.noneOf(Fault.class);
    for (Fault fault : Fault.values()) {
      if (!Fault.LATER.contains(fault)
          && random.perMille(500)
          && !Fault.AMNESIA.contains(fault)
          && fault != Fault.CRASH_LOOP) {
        faults.add(fault);
      }
    }
    return faults;
  }

  /** Returns the same run with one more kind of fault. */
  public Settings with(Fault fault) {
    EnumSet<Fault> faults = EnumSet.of(fault);
    faults.addAll(scale.faults());
    return with(scale.withFaults(faults));
  }

  /**
   * Returns the same run with some of the faults that no seed stands for. Where the store shows
   * losses, these are not copies: what copies may share is known of other stores only.
   */
  public Settings withMore() {
    Numbers random = Numbers.of(seed, -3);
    Settings more = this;
    for (Fault fault : Fault.values()) {
      if (Fault.LATER.contains(fault)
          && !Fault.AMNESIA.contains(fault)
          && !Fault.LOSSES.contains(fault)
          && (fault != Fault.COPY || (subject.isCopyable() && !hasIdentity()))
          && random.perMille(500)) {
        more = more.with(fault);
      }
    }
    return more;
  }

  /** Returns the run of a store that loses what it acknowledged, and has an identity. */
  public Settings withLosses() {
    Numbers random = Numbers.of(seed, -4);
    EnumSet<Fault> faults = EnumSet.copyOf(Fault.LOSSES);
    faults.removeIf(fault -> random.perMille(400));
    faults.add(random.oneOf(0, 1) == 0 ? Fault.ROLL_BACK : Fault.FLUSH);
    scale.faults().stream()
        .filter(fault -> !Fault.CLOCKS.contains(fault) && !Fault.AMNESIA.contains(fault))
        .forEach(faults::add);
    return with(terms.forgetful()).with(scale.withFaults(faults));
  }

  /** Returns whether the store has an identity. */
  public boolean hasIdentity() {
    return !Collections.disjoint(scale.faults(), Fault.LOSSES);
  }

  /** Returns whether new processes wait after a loss, in a store that has an identity. */
  public boolean waitsAfterLoss() {
    return Numbers.of(seed, -5).perMille(500);
  }

  /** Returns how long a store that was lost goes on at most. */
  public long splitMillis() {
    return scale.faults().contains(Fault.SPLIT) ? terms.windowMillis() / 4 : 0;
  }

  /** Returns the settling time: exactly what the processes need. */
  public long settleMillis() {
    return terms.windowMillis() + terms.leadMillis() + terms.skewMillis() + splitMillis();
  }

  public Settings with(Scale other) {
    return new Settings(seed, subject, terms, other);
  }

  public Settings with(Terms other) {
    return new Settings(seed, subject, other, scale);
  }

  public Settings with(Subject other) {
    boolean more = other == Subject.RESERVATIONS && subject != other;
    return new Settings(seed, other, more ? terms.withTwiceTheWorkers() : terms, scale);
  }

  public boolean mayForget() {
    return !Collections.disjoint(scale.faults(), Fault.AMNESIA);
  }

  /** Returns the options that have this run again. */
  public String command() {
    Scale drawn = of(seed).scale;
    StringBuilder command = new StringBuilder("simulate ");
    command.append(subject.option()).append("--seed ").append(seed);
    if (hasIdentity()) {
      command.append(" --losses");
      drawn = of(seed).withLosses().scale;
    }
    option(command, "nodes", drawn.nodes(), scale.nodes());
    option(command, "slots", drawn.slots(), scale.slots());
    option(command, "windows", drawn.windows(), scale.windows());
    option(command, "faults", labels(drawn.faults()), labels(scale.faults()));
    return command.toString();
  }

  private static void option(StringBuilder command, String name, Object drawn, Object given) {
    if (!given.equals(drawn)) {
      command.append(" --").append(name).append(' ').append(given);
    }
  }

  private static String labels(Set<Fault> faults) {
    return faults.isEmpty()
        ? "none"
        : faults.stream().map(Fault::label).collect(Collectors.joining(","));
  }

  @Override
  public String toString() {
    return subject.label()
        + "seed="
        + seed
        + " nodes="
        + scale.nodes()
        + " slots="
        + scale.slots()
        + " windows="
        + scale.windows()
        + " worker-bits="
        + terms.workerBits()
        + " sequence-bits="
        + terms.sequenceBits()
        + " tick="
        + terms.tickMillis()
        + "ms window="
        + terms.windowMillis()
        + "ms lead="
        + terms.leadMillis()
        + "ms wait="
        + terms.waitMillis()
        + "ms skew="
        + terms.skewMillis()
        + "ms store-clock="
        + terms.storeClock()
        + " pinned="
        + terms.pinned()
        + (hasIdentity() ? " after-loss=" + (waitsAfterLoss() ? "wait" : "ahead") : "")
        + " young-epoch="
        + terms.youngEpoch()
        + " faults="
        + labels(scale.faults());
  }
}
