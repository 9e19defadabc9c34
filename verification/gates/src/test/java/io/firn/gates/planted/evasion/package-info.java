/** A store that names a type of segments to use a lease, and a builder by another name. */
@NullMarked
package io.firn.gates.planted.evasion;

import org.jspecify.annotations.NullMarked;
