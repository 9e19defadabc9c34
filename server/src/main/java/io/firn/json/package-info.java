/** The JSON output of the command line and the server. */
@NullMarked
package io.firn.json;

import org.jspecify.annotations.NullMarked;
