/** Registers in etcd, opened by {@code etcd://HOST:PORT}. */
@NullMarked
package io.firn.etcd;

import org.jspecify.annotations.NullMarked;
