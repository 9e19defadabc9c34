/** Half of a cycle. */
@NullMarked
package io.firn.gates.planted.trip;

import org.jspecify.annotations.NullMarked;
