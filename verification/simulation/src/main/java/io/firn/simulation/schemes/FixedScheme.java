package io.firn.simulation.schemes;

import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Numbers;
import io.firn.simulation.world.Scheme;
import java.util.function.ToLongBiFunction;

/** Schemes without a coordinator: a number is computed once, when the process starts. */
final class FixedScheme implements Scheme {

  private static final long NEVER = 1L << 50;
  private static final long HASHES = 32;
  private static final int UNKNOWN_PER_MILLE = 50;

  private final ToLongBiFunction<Incarnation, Integer> number;

  private FixedScheme(ToLongBiFunction<Incarnation, Integer> number) {
    this.number = number;
  }

  /** The operator gives each instance a number of its own. */
  static Scheme staticMap() {
    return new FixedScheme(Incarnation::number);
  }

  /** The hash of the host's name modulo 32, or a random number where the host has no name. */
  static Scheme hostHash() {
    return new FixedScheme(
        (process, slot) ->
            process.numbers().perMille(UNKNOWN_PER_MILLE)
                ? process.numbers().below(HASHES)
                : hash(process) % HASHES);
  }

  private static long hash(Incarnation process) {
    long seed = process.cluster().settings().seed();
    return Numbers.of(seed, ~process.node().toString().hashCode()).next() >>> 1;
  }

  @Override
  public Crew start(Incarnation process) {
    return new Crew() {
      @Override
      public Member open(int slot) {
        long worker = number.applyAsLong(process, slot);
        return new TwitterMember(process.time()) {
          @Override
          long worker() {
            return worker;
          }
        };
      }

      @Override
      public long keep() {
        return NEVER;
      }
    };
  }
}
