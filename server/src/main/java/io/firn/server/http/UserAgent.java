package io.firn.server.http;

import java.util.List;

/** The name of a client in its user agent. */
final class UserAgent {

  private static final String PRODUCT =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

  /** In this order: Edge and Opera name Chrome too, and Chrome names Safari. */
  private static final List<String> BROWSERS =
      List.of("Edg", "OPR", "Firefox", "HeadlessChrome", "Chrome", "Safari");

  private UserAgent() {}

  /** Returns the first product, such as {@code curl}, or the browser. */
  static String product(String userAgent) {
    int end = 0;
    while (end < userAgent.length() && PRODUCT.indexOf(userAgent.charAt(end)) >= 0) {
      end++;
    }
    String first = userAgent.substring(0, end);
    return first.equals("Mozilla") ? browser(userAgent) : first;
  }

  /** Returns the browser. All of them begin with Mozilla. */
  private static String browser(String userAgent) {
    return BROWSERS.stream()
        .filter(name -> userAgent.contains(" " + name + "/"))
        .findFirst()
        .orElse("browser");
  }
}
