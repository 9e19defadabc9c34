package io.firn.server.config;

import java.util.Optional;
import java.util.OptionalLong;
import java.util.regex.Pattern;

/**
 * The settings for clients of Leaf and tinyid.
 *
 * @param routes whether their HTTP routes are served
 * @param leafNamespace the namespace of Leaf's snowflakes, regardless of the key; empty for that of
 *     the key
 * @param leafSource the address of Leaf's table, whose keys are namespaces {@code leaf:KEY}
 * @param tinyidSource the address of tinyid's table, whose keys are namespaces {@code tinyid:KEY}
 */
public record LegacyConfig(
    boolean routes,
    Optional<String> leafNamespace,
    Optional<String> leafSource,
    Optional<String> tinyidSource) {

  private static final String LEAF = "leaf:";
  private static final String TINYID = "tinyid:";

  /** The length of Leaf's column. */
  private static final Pattern KEY = Pattern.compile("[!-~]{1,128}");

  private static final String OFF = "off";

  static LegacyConfig read(Values values) {
    return new LegacyConfig(
        Settings.LEGACY_ROUTES.read(values),
        Optional.of(Settings.LEAF_NAMESPACE.read(values)).filter(name -> !name.equals(OFF)),
        Settings.LEAF_SOURCE.find(values),
        Settings.TINYID_SOURCE.find(values));
  }

  /**
   * Returns the namespace of a key of Leaf's segments.
   *
   * @throws IllegalArgumentException if the table cannot have the key
   */
  public String leafName(String key) {
    return leafSource.isPresent() ? LEAF + requireKey("key", key) : key;
  }

  /**
   * Returns the namespace of a type of tinyid.
   *
   * @throws IllegalArgumentException if the table cannot have the type
   */
  public String tinyidName(String type) {
    return tinyidSource.isPresent() ? TINYID + requireKey("bizType", type) : type;
  }

  private static String requireKey(String name, String key) {
    if (!KEY.matcher(key).matches()) {
      throw new IllegalArgumentException(
          name + ": " + key + " (expected: 1..128 visible ASCII characters)");
    }
    return key;
  }

  /** Returns the namespace of that name if it is a key of a table. */
  Optional<NamespaceConfig> namespace(String name) {
    return namespace(name, LEAF, leafSource).or(() -> namespace(name, TINYID, tinyidSource));
  }

  private Optional<NamespaceConfig> namespace(String name, String prefix, Optional<String> source) {
    return source
        .filter(address -> name.startsWith(prefix))
        .map(address -> name.substring(prefix.length()))
        .filter(key -> KEY.matcher(key).matches())
        .map(
            key ->
                new SegmentConfig(
                    OptionalLong.empty(), source, Optional.of(key), SegmentConfig.MAX_WAIT));
  }
}
