/** The server's settings: flags, environment, one YAML file and defaults, as one value. */
@NullMarked
package io.firn.server.config;

import org.jspecify.annotations.NullMarked;
