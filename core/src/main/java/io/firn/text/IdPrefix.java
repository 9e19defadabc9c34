package io.firn.text;

import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A prefix that names the type of an ID, in the style of <a
 * href="https://github.com/jetify-com/typeid">TypeID</a>: {@code order_01h455vb4pex5vsknk084sn02q}.
 * What follows the underscore is any text form. An immutable value.
 */
public final class IdPrefix {

  private static final Pattern FORM = Pattern.compile("[a-z]([a-z_]{0,61}[a-z])?");

  private final String start;

  private IdPrefix(String start) {
    this.start = start;
  }

  /**
   * Returns the prefix of a text.
   *
   * @throws IllegalArgumentException if it is not 1..63 of a..z and underscore, a letter first and
   *     last
   */
  public static IdPrefix of(String prefix) {
    if (!FORM.matcher(prefix).matches()) {
      throw new IllegalArgumentException(
          "prefix: " + prefix + " (expected: 1..63 of a..z and _, a letter first and last)");
    }
    return new IdPrefix(prefix + "_");
  }

  /** Returns the text with the prefix in front. */
  public String add(String text) {
    return start + text;
  }

  /**
   * Returns the text behind the prefix.
   *
   * @throws IllegalArgumentException if it does not begin with this prefix, or is nothing but it
   */
  public String remove(String text) {
    if (!text.startsWith(start) || text.length() == start.length()) {
      throw new IllegalArgumentException(
          "id: " + text + " (expected: " + start + " and an ID after it)");
    }
    return text.substring(start.length());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof IdPrefix prefix && start.equals(prefix.start);
  }

  @Override
  public int hashCode() {
    return start.hashCode();
  }

  /** Returns the prefix without the underscore. */
  @Override
  public String toString() {
    return start.substring(0, start.length() - 1);
  }
}
