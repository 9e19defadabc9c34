/** Placeholder. */
@NullMarked
package io.firn;

import org.jspecify.annotations.NullMarked;
