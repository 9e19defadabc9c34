package io.firn.segment;

import java.util.Set;

/**
 * Opens segment sources by their addresses. Found with {@link java.util.ServiceLoader}, so an
 * application adds a source by putting its provider on the class or module path.
 */
public interface SegmentSourceProvider {

  /** Returns the schemes that it serves, in lower case: {@code leaf}. */
  Set<String> schemes();

  /**
   * Opens a source. Does not connect; the first call does.
   *
   * @param scheme one of {@link #schemes}
   * @param rest what follows the scheme and its colon
   * @throws IllegalArgumentException if the address is wrong
   */
  SegmentSource open(String scheme, String rest);
}
