/** A lease that knows segments, and builders that build twice. */
@NullMarked
package io.firn.gates.planted.segment;

import org.jspecify.annotations.NullMarked;
