package io.firn.segment;

/**
 * The counter of a key.
 *
 * @param key the key of the counter
 * @param next the first number that was not handed out yet
 * @param step how many were handed out last; 0 if none was
 */
public record SegmentEntry(String key, long next, long step) {}
