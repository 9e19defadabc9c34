package io.firn.lease;

/**
 * A register as it was read.
 *
 * @param name its name
 * @param version changes with every write, and is larger after it; never 0
 * @param value what was written last
 */
public record Register(String name, long version, String value) {}
