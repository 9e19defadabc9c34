/**
 * Stress tests of state that threads share. {@code StressTest} runs every class of this package.
 */
@NullMarked
package io.firn.stress;

import org.jspecify.annotations.NullMarked;
