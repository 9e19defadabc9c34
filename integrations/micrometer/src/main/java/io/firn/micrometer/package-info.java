/** Meters of ID generators: {@link io.firn.micrometer.GeneratorMeters}. */
@NullMarked
package io.firn.micrometer;

import org.jspecify.annotations.NullMarked;
