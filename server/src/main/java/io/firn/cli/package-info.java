/** The command line. */
@NullMarked
package io.firn.cli;

import org.jspecify.annotations.NullMarked;
