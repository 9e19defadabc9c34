/** Runnable examples. */
@NullMarked
package io.firn.examples;

import org.jspecify.annotations.NullMarked;
