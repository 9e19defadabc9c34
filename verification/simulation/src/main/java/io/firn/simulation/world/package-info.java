/**
 * The simulated world of one run: one thread, one seed, clocks, processes, a faulty store, and the
 * record of what the store granted. The schemes that run in it, and the judges of their IDs, depend
 * on it and not the other way around.
 */
@NullMarked
package io.firn.simulation.world;

import org.jspecify.annotations.NullMarked;
