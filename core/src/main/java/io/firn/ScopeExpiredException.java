package io.firn;

/**
 * Thrown when an {@link IdScope} expired. Its transaction must be rolled back: readers of the
 * watermark may be past its IDs, and would miss its rows.
 */
public final class ScopeExpiredException extends FirnException {

  private static final long serialVersionUID = 1L;

  ScopeExpiredException(String message) {
    super(message);
  }
}
