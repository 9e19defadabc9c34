package io.firn.server.redis;

/**
 * Patterns as SCAN and CONFIG GET take them: {@code *} is any text, {@code ?} one character, and a
 * backslash takes the next character as it is. The time grows with the product of both lengths.
 */
final class Glob {

  private Glob() {}

  static boolean matches(String pattern, String text) {
    int p = 0;
    int t = 0;
    int star = -1;
    int starText = 0;
    while (t < text.length()) {
      boolean escaped = p + 1 < pattern.length() && pattern.charAt(p) == '\\';
      int literal = escaped ? p + 1 : p;
      if (!escaped && p < pattern.length() && pattern.charAt(p) == '*') {
        star = p++;
        starText = t;
      } else if (literal < pattern.length()
          && (pattern.charAt(literal) == text.charAt(t)
              || (!escaped && pattern.charAt(literal) == '?'))) {
        p = literal + 1;
        t++;
      } else if (star >= 0) {
        p = star + 1;
        t = ++starText;
      } else {
        return false;
      }
    }
    return pattern.substring(p).chars().allMatch(c -> c == '*');
  }
}
