/** Half of a cycle. */
@NullMarked
package io.firn.gates.planted.round;

import org.jspecify.annotations.NullMarked;
