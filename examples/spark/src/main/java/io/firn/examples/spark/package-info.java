/** Rows of Apache Spark with IDs. */
@NullMarked
package io.firn.examples.spark;

import org.jspecify.annotations.NullMarked;
