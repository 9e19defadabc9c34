/** Registers in Redis: one server, Sentinel or Cluster, through Lettuce or a client of your own. */
@NullMarked
package io.firn.redis;

import org.jspecify.annotations.NullMarked;
