package io.firn.server;

/**
 * What became of the leases of a namespace since this server opened it.
 *
 * @param acquired worker IDs that were leased
 * @param renewed windows that were extended
 * @param lost leases that somebody else took, or the store forgot
 * @param expired windows that ran out before they could be extended
 */
public record LeaseCounts(long acquired, long renewed, long lost, long expired) {}
