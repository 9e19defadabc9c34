package io.firn;

import io.firn.lease.Leaseholder;
import java.util.function.UnaryOperator;

/** Reaches the one seam that is not public: mutants stand between a lease and its generator. */
public final class Interposed {

  private Interposed() {}

  /** That builder, with something between its generator and its lease. */
  public static SnowflakeBuilder on(SnowflakeBuilder builder, UnaryOperator<Leaseholder> between) {
    return builder.interpose(between);
  }
}
