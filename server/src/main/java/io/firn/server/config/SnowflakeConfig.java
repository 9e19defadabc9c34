package io.firn.server.config;

import io.firn.IdLayout;
import io.firn.integration.GeneratorSettings;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/**
 * A namespace of snowflakes.
 *
 * @param settings the settings of its generator, of which layout and window are set
 */
public record SnowflakeConfig(GeneratorSettings settings) implements NamespaceConfig {

  /** What a clock policy sets at once. */
  private static final List<Setting<?>> CLOCK_SETTINGS =
      List.of(
          Settings.of(GeneratorSettings.Setting.MAX_LEAD),
          Settings.of(GeneratorSettings.Setting.MAX_WAIT),
          Settings.of(GeneratorSettings.Setting.SEQUENCE_START));

  private static final Setting<?> CLOCK_POLICY =
      Settings.of(GeneratorSettings.Setting.CLOCK_POLICY);

  static SnowflakeConfig read(Values group) {
    for (Setting<?> part : CLOCK_SETTINGS) {
      if (CLOCK_POLICY.isSet(group) && part.isSet(group)) {
        throw part.refused(group, "none beside clock-policy");
      }
    }
    return new SnowflakeConfig(
        GeneratorSettings.of(setting -> Settings.of(setting).find(group).orElse(null)));
  }

  /** Returns the settings of a group that leave no place for a setting. */
  static List<Setting<?>> replaces(Setting<?> setting) {
    if (setting.equals(CLOCK_POLICY)) {
      return CLOCK_SETTINGS;
    }
    return CLOCK_SETTINGS.contains(setting) ? List.of(CLOCK_POLICY) : List.of();
  }

  /** Returns the layout of its IDs. */
  public IdLayout layout() {
    return Objects.requireNonNull(settings.layout());
  }

  /** Returns how much ID time is leased at once. */
  public Duration window() {
    return Objects.requireNonNull(settings.window());
  }
}
