package io.firn.lease;

import java.time.Instant;
import java.util.Optional;

/**
 * Who has, or last had, a worker ID.
 *
 * @param worker the worker ID; datacenter and worker as one number where a layout has both
 * @param held whether it is leased, and not given back cleanly
 * @param since the first instant of ID time of whoever has it, if its register tells
 * @param fence no ID at or past it has been permitted
 * @param holder the instance
 * @param pid its process
 */
public record WorkerEntry(
    long worker, boolean held, Optional<Instant> since, Instant fence, String holder, long pid) {}
