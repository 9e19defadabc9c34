package io.firn.server;

import io.firn.lease.WorkerEntry;
import java.time.Instant;
import java.util.List;
import java.util.SortedMap;

/**
 * The worker IDs of a server's namespaces at one moment, as the store has them.
 *
 * @param taken when the store was read, on this server's clock
 * @param workers the worker IDs by namespace
 */
public record WorkerSnapshot(Instant taken, SortedMap<String, List<WorkerEntry>> workers) {}
