/** Schemes that give generators their worker IDs, Firn's among them, and their comparison. */
@NullMarked
package io.firn.simulation.schemes;

import org.jspecify.annotations.NullMarked;
