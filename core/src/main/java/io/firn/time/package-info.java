/** Placeholder. */
@NullMarked
package io.firn.time;

import org.jspecify.annotations.NullMarked;
