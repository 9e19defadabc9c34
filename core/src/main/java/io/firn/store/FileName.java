package io.firn.store;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Names of registers as names of files: ASCII letters, digits, '.', '_' and '-' as they are, '/' as
 * '+', and every other byte of the UTF-8 form as %XX.
 */
final class FileName {

  private static final HexFormat HEX = HexFormat.of().withUpperCase();
  private static final String PLAIN = "._-";

  private FileName() {}

  static String encode(String name) {
    StringBuilder encoded = new StringBuilder();
    for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
      if (isPlain((char) b)) {
        encoded.append((char) b);
      } else if (b == '/') {
        encoded.append('+');
      } else {
        encoded.append('%').append(HEX.toHexDigits(b));
      }
    }
    return encoded.toString();
  }

  private static boolean isPlain(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || PLAIN.indexOf(c) >= 0;
  }

  /**
   * Returns the name that {@link #encode} may have encoded.
   *
   * @throws IllegalArgumentException if there are no two digits behind a '%'
   */
  static String decode(String encoded) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < encoded.length(); i++) {
      char c = encoded.charAt(i);
      if (c == '%') {
        bytes.write(Integer.parseInt(encoded, i + 1, Math.min(i + 3, encoded.length()), 16));
        i += 2;
      } else {
        bytes.write(c == '+' ? '/' : c);
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
