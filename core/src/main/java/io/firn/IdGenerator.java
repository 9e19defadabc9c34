package io.firn;

/** Placeholder. */
public interface IdGenerator {
  /**
   * Returns the next ID.
   *
   * @return the next ID
   */
  long nextId();
}
