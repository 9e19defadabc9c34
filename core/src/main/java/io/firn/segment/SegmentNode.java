package io.firn.segment;

import io.firn.internal.PaddedCounter;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A segment in the chain of a generator. The word counts how many of its numbers were drawn; draws
 * past the end are allowed and mean nothing. What callers only read follows the word's padding, on
 * a line that stays with all of them.
 */
final class SegmentNode extends PaddedCounter {

  /** Past every segment's end, and as far from where adding one at a time would overflow. */
  private static final long SPENT = 1L << 62;

  private final long first;
  private final long count;
  private final long stride;
  private final long newestBefore;
  private final long end;
  private volatile @Nullable SegmentNode next;

  private SegmentNode(long first, long count, long stride, long newestBefore, long end) {
    super(0);
    this.first = first;
    this.count = count;
    this.stride = stride;
    this.newestBefore = newestBefore;
    this.end = end;
  }

  /** Returns the beginning of a chain: it has no numbers. */
  static SegmentNode root() {
    return root(-1, 0);
  }

  private static SegmentNode root(long newest, long issued) {
    return new SegmentNode(0, 0, 1, newest, issued);
  }

  /** Adds a segment behind this link, which is the last. */
  SegmentNode append(Segment segment) {
    long newest = isRoot() ? newestBefore : idAt(count - 1);
    return append(
        new SegmentNode(
            segment.first(), segment.count(), segment.stride(), newest, end + segment.count()));
  }

  /** Adds a new first link behind this one, after the given number of IDs and their newest. */
  SegmentNode appendRoot(long newest, long issued) {
    return append(root(newest, issued));
  }

  private SegmentNode append(SegmentNode link) {
    next = link;
    return link;
  }

  /** Returns the next link; null until there is one. */
  @Nullable SegmentNode next() {
    return next;
  }

  /** Draws one number; it is the caller's if its index is below {@link #count}. */
  long draw() {
    return getAndAdd(1);
  }

  /**
   * Draws as many numbers as there are, up to {@code wanted}. A call that comes late adds nothing,
   * so that the word does not run away under callers that try again.
   *
   * @return the index of the first of them; not below {@link #count} if there was none
   */
  long draw(int wanted) {
    long seen = get();
    return seen < count ? getAndAdd(wanted) : seen;
  }

  long count() {
    return count;
  }

  long stride() {
    return stride;
  }

  long idAt(long index) {
    return first + index * stride;
  }

  /** Returns how many IDs the chain has issued when this link is used up. */
  long end() {
    return end;
  }

  boolean isRoot() {
    return count == 0;
  }

  /** Returns how many of its numbers were not drawn yet. */
  long left() {
    return count - drawn(get());
  }

  private long drawn(long index) {
    return Math.min(index, count);
  }

  /**
   * Returns the newest number of the chain that was drawn, if this is the link of now; -1 if none
   * was.
   */
  long newest() {
    return newest(drawn(get()));
  }

  /** Returns what {@link #newest()} does when {@code drawn} numbers of this link are drawn. */
  long newest(long drawn) {
    return drawn == 0 ? newestBefore : idAt(drawn - 1);
  }

  /**
   * Ends the link: no thread draws from it any more.
   *
   * @return how many were drawn
   */
  long exhaust() {
    return drawn(getAndSet(SPENT));
  }

  /** Returns what is left after the given number was drawn. */
  Optional<Segment> rest(long drawn) {
    return drawn == count
        ? Optional.empty()
        : Optional.of(new Segment(idAt(drawn), count - drawn, stride));
  }
}
