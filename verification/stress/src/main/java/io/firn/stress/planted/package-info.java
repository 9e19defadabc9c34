/** A race planted on purpose: {@code StressTest} demands that it is found. */
@NullMarked
package io.firn.stress.planted;

import org.jspecify.annotations.NullMarked;
