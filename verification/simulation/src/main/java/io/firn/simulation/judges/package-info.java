/** What judges a run: the IDs that were issued, against what the store really granted. */
@NullMarked
package io.firn.simulation.judges;

import org.jspecify.annotations.NullMarked;
