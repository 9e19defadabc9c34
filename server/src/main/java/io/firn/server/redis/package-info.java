/** The Redis protocol: {@code INCR key} gives the next ID of the namespace {@code key}. */
@NullMarked
package io.firn.server.redis;

import org.jspecify.annotations.NullMarked;
