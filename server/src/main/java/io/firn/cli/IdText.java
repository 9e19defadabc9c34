package io.firn.cli;

import io.firn.text.IdFormat;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads IDs as people have them: decimal, hexadecimal after {@code 0x}, or in a given format. */
final class IdText {

  private static final Pattern HEX = Pattern.compile("0[xX][0-9a-fA-F]{1,16}");

  private final IdFormat format;

  IdText(@Nullable IdFormat format) {
    this.format = format == null ? IdFormat.DECIMAL : format;
  }

  /**
   * The ID that {@code text} stands for.
   *
   * @throws IllegalArgumentException if it stands for none
   */
  long read(String text) {
    if (!text.toLowerCase(Locale.ROOT).startsWith("0x")
        || (format != IdFormat.DECIMAL && format != IdFormat.HEX)) {
      return format.parse(text);
    }
    if (!HEX.matcher(text).matches()) {
      throw new IllegalArgumentException(
          "hex: " + text + " (expected: 1..16 hexadecimal digits after 0x)");
    }
    return Long.parseUnsignedLong(text.substring(2), 16);
  }
}
