/**
 * Worker IDs that two processes never use for the same time: the register store that coordinators
 * implement, and the lease protocol that is written once, over its verbs.
 */
@NullMarked
package io.firn.lease;

import org.jspecify.annotations.NullMarked;
