package io.firn.wide;

/**
 * Issues IDs that are wider than 64 bits. No worker ID and no lease: that an ID is issued once
 * rests on random bits, which no other process draws too.
 *
 * @param <T> what it issues
 */
@FunctionalInterface
public interface WideIdGenerator<T> {

  /**
   * Issues the next ID. In which order IDs come is stated where the generator is made. Thread-safe.
   *
   * @throws io.firn.FirnException if no ID can be issued now; the message says why
   */
  T nextId();
}
