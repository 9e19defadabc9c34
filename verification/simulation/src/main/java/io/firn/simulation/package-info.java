/**
 * The production generator, keeper and lease protocol in a simulated world: one thread, one seed,
 * simulated clocks, a faulty store, crashes and pauses.
 */
@NullMarked
package io.firn.simulation;

import org.jspecify.annotations.NullMarked;
