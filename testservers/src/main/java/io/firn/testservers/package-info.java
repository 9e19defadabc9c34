/**
 * Real servers on this machine, for tests of what Firn does with them: each on the loopback
 * interface, on a free port, with its data in a new directory that goes when it is closed.
 */
@NullMarked
package io.firn.testservers;

import org.jspecify.annotations.NullMarked;
