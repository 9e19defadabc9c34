/** Generators by the name of their type, for frameworks and the command line. */
@NullMarked
package io.firn.key;

import org.jspecify.annotations.NullMarked;
