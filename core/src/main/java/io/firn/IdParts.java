package io.firn;

import java.time.Instant;

/**
 * The fields of one ID.
 *
 * @param id the ID itself
 * @param instant when the ID's tick began
 * @param tick the number of whole ticks since the layout's epoch
 * @param datacenter the datacenter field, 0 if the layout has none
 * @param worker the worker field, 0 if the layout has none
 * @param sequence the number within the tick, 0 if the layout has no sequence
 */
public record IdParts(
    long id, Instant instant, long tick, long datacenter, long worker, long sequence) {}
