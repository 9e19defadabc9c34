package io.firn.store;

/**
 * A condition on a compare-and-set: the store still has the identity, and a register still has the
 * version, that a {@link Snapshot} showed.
 *
 * @param identity the identity of the store
 * @param register the name of a register; it may be the one that is written
 * @param version its version, or 0 if it is the one that is written and must not exist
 */
public record Binding(String identity, String register, long version) {}
