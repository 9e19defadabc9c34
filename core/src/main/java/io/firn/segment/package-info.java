/**
 * Dense, growing numbers from a counter that processes share: {@link
 * io.firn.segment.SegmentGenerator} issues them, a {@link io.firn.segment.SegmentSource} hands them
 * out in blocks.
 */
@NullMarked
package io.firn.segment;

import org.jspecify.annotations.NullMarked;
