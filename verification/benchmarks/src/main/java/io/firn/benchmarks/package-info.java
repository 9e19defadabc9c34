/**
 * Firn beside its peers, on JMH. {@link io.firn.benchmarks.Bench} runs all of it and prints the
 * tables.
 */
@NullMarked
package io.firn.benchmarks;

import org.jspecify.annotations.NullMarked;
