/**
 * Runs of the production generator, keeper and lease protocol in a simulated world, and searches
 * for a seed that breaks them.
 */
@NullMarked
package io.firn.simulation;

import org.jspecify.annotations.NullMarked;
