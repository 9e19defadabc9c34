/** What is measured, for Prometheus to scrape. */
@NullMarked
package io.firn.server.metrics;

import org.jspecify.annotations.NullMarked;
