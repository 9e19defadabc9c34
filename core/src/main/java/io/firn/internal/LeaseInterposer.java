package io.firn.internal;

/**
 * A store that also intercepts calls between its leases and their generators. Only the testkit has
 * one: it is how a test changes what a lease asks its generator for.
 */
public interface LeaseInterposer {

  /** Returns what the lease calls instead of that generator. */
  LeaseHolder interpose(LeaseHolder generator);
}
