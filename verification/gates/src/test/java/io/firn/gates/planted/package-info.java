/** One violation of each architecture rule. {@code PlantedArchitectureTest} demands each red. */
@NullMarked
package io.firn.gates.planted;

import org.jspecify.annotations.NullMarked;
