package io.firn.server.config;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** A permission of a token. */
public enum TokenScope {
  /** To get IDs. */
  ISSUE,
  /** To see metrics, namespaces, workers and segments. */
  READ,
  /** To reserve blocks of IDs and to move watermarks on: the store keeps both permanently. */
  RESERVE,
  /** To change the server: to have it read its configuration again. */
  ADMIN;

  /** Returns the name, as written in the configuration. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns those of a token without a setting, and of strangers. */
  static Set<TokenScope> ordinary() {
    return parse(Settings.ORDINARY_SCOPES);
  }

  /** Returns all of them. */
  static Set<TokenScope> all() {
    return Collections.unmodifiableSet(EnumSet.allOf(TokenScope.class));
  }

  /**
   * Reads several, with commas between them.
   *
   * @throws IllegalArgumentException if one is unknown
   */
  static Set<TokenScope> parse(String text) {
    Set<TokenScope> scopes = EnumSet.noneOf(TokenScope.class);
    List<String> labels = Arrays.stream(values()).map(TokenScope::label).toList();
    for (String label : text.split(",", -1)) {
      int index = labels.indexOf(label.strip());
      if (index < 0) {
        throw new IllegalArgumentException(
            label.strip()
                + " (expected: "
                + labels.stream().collect(Collectors.joining(", "))
                + ")");
      }
      scopes.add(values()[index]);
    }
    return Collections.unmodifiableSet(scopes);
  }
}
