package io.firn.block;

import java.time.Instant;

/**
 * A job that named blocks.
 *
 * @param name the name of the job
 * @param shape its shape
 * @param forgotten whether it was forgotten, so that its name can be used again
 * @param created when it began, by the clock of its first process
 * @param blocks how many blocks it has
 * @param ids how many IDs are in them
 */
public record BlockJob(
    String name, String shape, boolean forgotten, Instant created, long blocks, long ids) {}
