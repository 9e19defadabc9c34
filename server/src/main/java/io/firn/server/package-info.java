/** The server without its protocols: listeners, connections, namespaces, and who may ask. */
@NullMarked
package io.firn.server;

import org.jspecify.annotations.NullMarked;
