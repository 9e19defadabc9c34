/** Registers in ZooKeeper, opened by {@code zookeeper://HOST:PORT}. */
@NullMarked
package io.firn.zookeeper;

import org.jspecify.annotations.NullMarked;
