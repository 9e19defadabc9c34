/** The only door to clocks, parking and randomness. */
@NullMarked
package io.firn.time;

import org.jspecify.annotations.NullMarked;
