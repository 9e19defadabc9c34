package io.firn.text;

/**
 * Makes texts of ASCII characters.
 *
 * <p>Where one expression makes a StringBuilder, appends single characters and calls toString, the
 * JIT compiler C2 stores the characters in the array of the new String: there is no builder and no
 * copy. C2 does so only if nothing in the expression can throw, such as the check of an array
 * index, and it skips the choice of an encoding if it knows that each character is a byte. So these
 * expressions are written out. All other ways make the bytes first, and copy them.
 *
 * <p>A builder of the caller grows once, by a text of the same length, and then has its characters
 * set.
 */
final class Ascii {

  static final String ELEVEN = "00000000000";
  static final String THIRTEEN = "0000000000000";

  private static final int HIGH_BYTE = 0;

  private Ascii() {}

  /**
   * Returns the bytes as text. The constructor is deprecated, and used on purpose: each byte is a
   * character, and no charset is asked.
   */
  @SuppressWarnings("deprecation")
  static String text(byte[] ascii) {
    return new String(ascii, HIGH_BYTE, 0, ascii.length);
  }

  /** Returns 11 characters: the lowest byte of the first number and five of each other. */
  @SuppressWarnings("UnnecessaryStringBuilder") // see above
  static String eleven(long first, long second, long third) {
    return new StringBuilder()
        .append(at(first, 0))
        .append(at(second, 32))
        .append(at(second, 24))
        .append(at(second, 16))
        .append(at(second, 8))
        .append(at(second, 0))
        .append(at(third, 32))
        .append(at(third, 24))
        .append(at(third, 16))
        .append(at(third, 8))
        .append(at(third, 0))
        .toString();
  }

  /** Returns 13 characters: the three lowest bytes of the first number and five of each other. */
  @SuppressWarnings("UnnecessaryStringBuilder") // see above
  static String thirteen(long first, long second, long third) {
    return new StringBuilder()
        .append(at(first, 16))
        .append(at(first, 8))
        .append(at(first, 0))
        .append(at(second, 32))
        .append(at(second, 24))
        .append(at(second, 16))
        .append(at(second, 8))
        .append(at(second, 0))
        .append(at(third, 32))
        .append(at(third, 24))
        .append(at(third, 16))
        .append(at(third, 8))
        .append(at(third, 0))
        .toString();
  }

  /** Appends what {@link #eleven} returns. */
  static void appendEleven(long first, long second, long third, StringBuilder target) {
    int offset = target.length();
    target.append(ELEVEN);
    target.setCharAt(offset, at(first, 0));
    target.setCharAt(offset + 1, at(second, 32));
    target.setCharAt(offset + 2, at(second, 24));
    target.setCharAt(offset + 3, at(second, 16));
    target.setCharAt(offset + 4, at(second, 8));
    target.setCharAt(offset + 5, at(second, 0));
    target.setCharAt(offset + 6, at(third, 32));
    target.setCharAt(offset + 7, at(third, 24));
    target.setCharAt(offset + 8, at(third, 16));
    target.setCharAt(offset + 9, at(third, 8));
    target.setCharAt(offset + 10, at(third, 0));
  }

  /** Appends what {@link #thirteen} returns. */
  static void appendThirteen(long first, long second, long third, StringBuilder target) {
    int offset = target.length();
    target.append(THIRTEEN);
    target.setCharAt(offset, at(first, 16));
    target.setCharAt(offset + 1, at(first, 8));
    target.setCharAt(offset + 2, at(first, 0));
    target.setCharAt(offset + 3, at(second, 32));
    target.setCharAt(offset + 4, at(second, 24));
    target.setCharAt(offset + 5, at(second, 16));
    target.setCharAt(offset + 6, at(second, 8));
    target.setCharAt(offset + 7, at(second, 0));
    target.setCharAt(offset + 8, at(third, 32));
    target.setCharAt(offset + 9, at(third, 24));
    target.setCharAt(offset + 10, at(third, 16));
    target.setCharAt(offset + 11, at(third, 8));
    target.setCharAt(offset + 12, at(third, 0));
  }

  private static char at(long bytes, int position) {
    return (char) (bytes >>> position & 0xFF);
  }
}
