/** A runnable example of keys for rows that are spread over databases. */
@NullMarked
package io.firn.examples.shardingsphere;

import org.jspecify.annotations.NullMarked;
