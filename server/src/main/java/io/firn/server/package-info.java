/** The server without its protocols: listeners, connections, namespaces, and access control. */
@NullMarked
package io.firn.server;

import org.jspecify.annotations.NullMarked;
