package io.firn.server;

import io.firn.lease.WorkerEntry;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * Who had which worker ID at one moment.
 *
 * @param taken when the store was asked, on this server's clock
 * @param workers the worker IDs of each namespace that is or was asked for here
 */
public record Census(Instant taken, SortedMap<String, List<WorkerEntry>> workers) {}
