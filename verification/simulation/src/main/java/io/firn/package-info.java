/** The simulation's door to what is package-private in core. */
@NullMarked
package io.firn;

import org.jspecify.annotations.NullMarked;
