package io.firn.key;

/**
 * Starts generators of one type. Found with {@link java.util.ServiceLoader}, so a type of one's own
 * is added by putting its provider on the class or module path.
 */
public interface KeyGeneratorProvider {

  /** The name of the type, in lower case. */
  String type();

  /**
   * Starts a generator.
   *
   * @throws IllegalArgumentException if it does not take these properties
   */
  KeyGenerator open(KeyProperties properties);
}
