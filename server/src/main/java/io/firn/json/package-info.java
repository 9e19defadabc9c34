/** What the command line and the server say in JSON. */
@NullMarked
package io.firn.json;

import org.jspecify.annotations.NullMarked;
