/** Firn as a key generator of Apache ShardingSphere. */
@NullMarked
package io.firn.shardingsphere;

import org.jspecify.annotations.NullMarked;
