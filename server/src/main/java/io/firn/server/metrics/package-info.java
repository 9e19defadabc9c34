/** The meters of the server, for Prometheus to scrape. */
@NullMarked
package io.firn.server.metrics;

import org.jspecify.annotations.NullMarked;
