package io.firn.wide;

import java.util.random.RandomGenerator;

/** Texts with mistakes. */
final class Garbled {

  private Garbled() {}

  /** The text with up to three characters changed, left out or put in. */
  static String text(String good, RandomGenerator random) {
    StringBuilder text = new StringBuilder(good);
    for (int mistakes = random.nextInt(4); mistakes > 0 && text.length() > 0; mistakes--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(4)) {
        case 0 -> text.deleteCharAt(at);
        case 1 -> text.insert(at, (char) random.nextInt(300));
        case 2 -> text.setCharAt(at, (char) random.nextInt(300));
        default -> text.setCharAt(at, (char) (text.charAt(at) ^ 32));
      }
    }
    return text.toString();
  }
}
