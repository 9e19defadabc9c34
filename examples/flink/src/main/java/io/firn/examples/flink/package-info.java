/** A job of Flink. */
@NullMarked
package io.firn.examples.flink;

import org.jspecify.annotations.NullMarked;
