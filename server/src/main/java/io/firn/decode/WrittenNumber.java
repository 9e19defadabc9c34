package io.firn.decode;

import io.firn.text.IdFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A text taken as a number.
 *
 * @param form how it was taken
 * @param id the number
 * @param canonical whether it is written as that form writes it, in the same case
 * @param digits whether it is written in decimal digits alone
 */
record WrittenNumber(String form, long id, boolean canonical, boolean digits) {

  private static final Pattern HEX = Pattern.compile("0[xX][0-9a-fA-F]{1,16}");

  private static final Pattern DIGITS = Pattern.compile("[0-9]+");

  /** The forms that some systems write without the leading zeros, and the fewest digits then. */
  private static final Map<IdFormat, Integer> SHORTEST =
      Map.of(IdFormat.BASE62, 9, IdFormat.BASE58, 9, IdFormat.BASE36, 10);

  /** The families whose own libraries write such a form. */
  private static final Map<String, String> FAMILIES =
      Map.of("base62", "cosid", "base58", "leaf", "base32", "tsid");

  /**
   * Returns the weight of the form. Most IDs are pasted in decimal, and what is fifty times as rare
   * counts 1.7 less; so does a case that the form's own libraries do not write. Hardly any text in
   * another form has no letter.
   */
  double weight() {
    double ofForm =
        switch (form) {
          case "decimal" -> 0;
          case "hex" -> -1;
          default -> -1.7;
        };
    double ofCase = canonical ? ofForm : ofForm - 1.7;
    return digits && ofForm != 0 ? ofCase - 4 : ofCase;
  }

  boolean isFormOf(String family) {
    return family.equals(FAMILIES.get(form));
  }

  /** Returns every way to take that text as a number, none if there is none. */
  static List<WrittenNumber> all(String text) {
    List<WrittenNumber> numbers = new ArrayList<>();
    if (text.toLowerCase(Locale.ROOT).startsWith("0x") && HEX.matcher(text).matches()) {
      numbers.add(prefixedHex(text));
    }
    for (IdFormat format : IdFormat.values()) {
      String padded = padded(format, text);
      if (isOfOneCase(format, text) && isWritten(format, padded)) {
        numbers.add(of(padded, format));
      }
    }
    return numbers;
  }

  /**
   * Returns the number that {@code text} stands for in that form; in decimal and hexadecimal it may
   * be hexadecimal after {@code 0x} as well.
   *
   * @throws IllegalArgumentException if it is none
   */
  static WrittenNumber of(String text, IdFormat format) {
    if (!text.toLowerCase(Locale.ROOT).startsWith("0x")
        || (format != IdFormat.DECIMAL && format != IdFormat.HEX)) {
      long id = format.parse(text);
      return new WrittenNumber(
          format.label(), id, format.format(id).equals(text), DIGITS.matcher(text).matches());
    }
    if (!HEX.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "hex: " + text + " (expected: 1..16 hexadecimal digits after 0x)");
    }
    return prefixedHex(text);
  }

  private static WrittenNumber prefixedHex(String text) {
    return new WrittenNumber(
        IdFormat.HEX.label(), Long.parseUnsignedLong(text.substring(2), 16), true, false);
  }

  private static String padded(IdFormat format, String text) {
    int missing = format.maxLength() - text.length();
    int shortest = SHORTEST.getOrDefault(format, format.maxLength());
    return missing > 0 && text.length() >= shortest
        ? String.valueOf(format.digit(0)).repeat(missing) + text
        : text;
  }

  /** Forms that ignore case are read in either, but a mixture of both is implausible. */
  private static boolean isOfOneCase(IdFormat format, String text) {
    return format.base() > 36
        || text.equals(text.toLowerCase(Locale.ROOT))
        || text.equals(text.toUpperCase(Locale.ROOT));
  }

  private static boolean isWritten(IdFormat format, String text) {
    try {
      format.parse(text);
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
