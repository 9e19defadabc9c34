/** Runnable examples of IDs for rows. */
@NullMarked
package io.firn.examples.persistence;

import org.jspecify.annotations.NullMarked;
