/** Judges of a run: compare the issued IDs with what the store granted. */
@NullMarked
package io.firn.simulation.judges;

import org.jspecify.annotations.NullMarked;
