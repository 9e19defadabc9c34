package io.firn.internal;

/**
 * A range of ID time in which one generator alone may use a worker ID.
 *
 * @param worker the worker ID; datacenter and worker as one number where a layout has both
 * @param notBeforeMillis the first millisecond of ID time, since 1970-01-01T00:00Z
 * @param notAfterMillis the fence: the first millisecond that is not permitted any more
 * @param leadMillis how far IDs may be ahead of the clock because the window begins ahead of it
 */
public record LeaseWindow(
    long worker, long notBeforeMillis, long notAfterMillis, long leadMillis) {}
