/** Placeholder. */
@NullMarked
package io.firn.testkit;

import org.jspecify.annotations.NullMarked;
