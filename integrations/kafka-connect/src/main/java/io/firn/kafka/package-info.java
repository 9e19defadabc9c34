/**
 * IDs for the records of Kafka: {@link io.firn.kafka.FirnIds} is a transform of Kafka Connect, and
 * {@link io.firn.kafka.OffsetIds} derives IDs from topic, partition and offset anywhere.
 */
@NullMarked
package io.firn.kafka;

import org.jspecify.annotations.NullMarked;
