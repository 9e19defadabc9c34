/**
 * IDs for the rows of Flink. {@link io.firn.flink.StampFunction} gives rows of a stream new IDs, or
 * IDs by a place that the rows have; {@link io.firn.flink.StampedSource} gives IDs by the places of
 * a source; {@link io.firn.flink.FirnModule} has functions of SQL.
 */
@NullMarked
package io.firn.flink;

import org.jspecify.annotations.NullMarked;
