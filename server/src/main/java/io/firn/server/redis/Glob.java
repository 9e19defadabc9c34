package io.firn.server.redis;

/**
 * A pattern as SCAN and CONFIG GET take it: {@code *} is any text, {@code ?} one character, and a
 * backslash takes the next character as it is. The time for a text grows with the square of its
 * length, and not with the length of the pattern. Immutable.
 */
final class Glob {

  private final String pattern;

  private Glob(String pattern) {
    this.pattern = pattern;
  }

  /** Returns a pattern, in which stars beside each other become one. */
  static Glob of(String text) {
    StringBuilder pattern = new StringBuilder();
    boolean afterStar = false;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean star = c == '*';
      if (!star || !afterStar) {
        pattern.append(c);
      }
      if (c == '\\' && i + 1 < text.length()) {
        pattern.append(text.charAt(++i));
      }
      afterStar = star;
    }
    return new Glob(pattern.toString());
  }

  boolean matches(String text) {
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
    return p == pattern.length() || (p == pattern.length() - 1 && pattern.charAt(p) == '*');
  }
}
