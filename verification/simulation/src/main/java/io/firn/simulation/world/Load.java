package io.firn.simulation.world;

/**
 * The load on generators.
 *
 * @param burstsPerWindow how many bursts there are at least in a window's time
 * @param mostPerBurst how many IDs a burst has at most
 * @param gapNanos how much time passes at most between two IDs of a burst
 */
public record Load(int burstsPerWindow, int mostPerBurst, long gapNanos) {}
