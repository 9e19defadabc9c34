package io.firn.server.config;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * A setting in one of its groups. Where the group has no name of the user's, the setting is a flag
 * and an environment variable too: {@code limits.idle} is {@code --limits-idle} and {@code
 * FIRN_LIMITS_IDLE}.
 */
record SettingPath(Setting<?> setting, String group) {

  private static final String ANY_NAME = "*";

  private static final List<SettingPath> ALL =
      Scope.GROUPS.stream()
          .flatMap(
              group ->
                  Settings.all().stream()
                      .filter(setting -> setting.scope().has(group))
                      .map(setting -> new SettingPath(setting, group)))
          .toList();

  /** Returns all of them, in the order of the groups and of the table. */
  static List<SettingPath> all() {
    return ALL;
  }

  /** Returns the place in the YAML file. */
  String path() {
    return group + setting.key();
  }

  /** Returns the flag; empty for secrets, because every user on the host can see flags. */
  Optional<String> flag() {
    return hasName() || isSecret()
        ? Optional.empty()
        : Optional.of("--" + path().replace('.', '-'));
  }

  /** Returns the environment variable. */
  Optional<String> variable() {
    return hasName()
        ? Optional.empty()
        : Optional.of("FIRN_" + path().toUpperCase(Locale.ROOT).replaceAll("[.-]", "_"));
  }

  boolean isSecret() {
    return setting.is(Settings.TOKEN);
  }

  boolean hasName() {
    return group.contains(ANY_NAME);
  }

  /** Returns whether this is the path of a value, whatever name the path has. */
  boolean matches(String valuePath) {
    if (!hasName()) {
      return valuePath.equals(path());
    }
    int key = valuePath.lastIndexOf('.') + 1;
    return valuePath.substring(key).equals(setting.key())
        && valuePath.startsWith(group.substring(0, group.indexOf(ANY_NAME)));
  }
}
