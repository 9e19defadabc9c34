package io.firn.simulation;

import io.firn.IdLayout;
import io.firn.simulation.judges.Grants;
import io.firn.simulation.judges.LeaseGrants;
import io.firn.simulation.judges.Ledger;
import io.firn.simulation.schemes.FirnScheme;
import io.firn.simulation.schemes.Scheme;
import io.firn.simulation.schemes.SegmentScheme;

/** The production code that a run is about. */
public enum Subject {
  /** Snowflakes whose worker IDs are leased. */
  LEASES {
    @Override
    Scheme scheme(Mutant mutant) {
      return new FirnScheme(mutant);
    }

    @Override
    Grants grants(IdLayout layout, Ledger ledger) {
      return new LeaseGrants(layout, ledger);
    }

    @Override
    long mostGenerators(Terms terms) {
      return terms.workers();
    }

    @Override
    String option() {
      return "";
    }

    @Override
    String label() {
      return "";
    }
  },

  /** Numbers of counters that all processes share. */
  SEGMENTS {
    @Override
    Scheme scheme(Mutant mutant) {
      return new SegmentScheme(mutant);
    }

    @Override
    Grants grants(IdLayout layout, Ledger ledger) {
      return ledger.segments();
    }

    @Override
    long mostGenerators(Terms terms) {
      return Long.MAX_VALUE;
    }

    @Override
    String option() {
      return "--segments ";
    }

    @Override
    String label() {
      return "segments ";
    }
  };

  abstract Scheme scheme(Mutant mutant);

  abstract Grants grants(IdLayout layout, Ledger ledger);

  /** Returns how many generators there can be at once. */
  abstract long mostGenerators(Terms terms);

  /** The option that chooses it. */
  abstract String option();

  /** Returns how the first line of a log begins. */
  abstract String label();
}
