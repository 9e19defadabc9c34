/**
 * IDs for the rows of Apache Spark: the SQL function {@code firn_id}, and {@link
 * io.firn.spark.FirnSpark} for datasets.
 */
@NullMarked
package io.firn.spark;

import org.jspecify.annotations.NullMarked;
