/**
 * 64-bit, time-ordered IDs that stay unique: {@link io.firn.IdGenerator} is what callers use,
 * {@link io.firn.Snowflake} makes the IDs, {@link io.firn.IdLayout} says what their bits mean.
 */
@NullMarked
package io.firn;

import org.jspecify.annotations.NullMarked;
