package io.firn.server.config;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.integration.GeneratorSettings;
import io.firn.time.DurationText;
import java.time.Duration;
import java.util.Objects;

/**
 * A namespace of snowflakes.
 *
 * @param settings the settings of its generator, of which layout and window are set
 */
public record SnowflakeConfig(GeneratorSettings settings) implements NamespaceConfig {

  /** The longest wait for the clock. A wait occupies a thread that serves other requests too. */
  public static final Duration MAX_WAIT = Duration.ofSeconds(1);

  /** The longest lead ahead of the clock. */
  public static final Duration MAX_LEAD = Duration.ofDays(1);

  /** The rule of the policies that {@link #allows} allows. */
  public static final String CLOCK_POLICY_RULE =
      "a wait of at most "
          + DurationText.write(MAX_WAIT)
          + " and a lead of at most "
          + DurationText.write(MAX_LEAD);

  static SnowflakeConfig read(Values group) {
    GeneratorSettings.Setting policy = GeneratorSettings.Setting.CLOCK_POLICY;
    for (GeneratorSettings.Setting part : policy.replacedBy()) {
      if (Settings.of(policy).isSet(group) && Settings.of(part).isSet(group)) {
        throw Settings.of(part).refused(group, "none beside " + policy.key());
      }
    }
    GeneratorSettings settings =
        GeneratorSettings.of(setting -> Settings.of(setting).find(group).orElse(null));
    try {
      settings.checkWorker();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(group.path(String.valueOf(e.getMessage())), e);
    }
    return new SnowflakeConfig(settings);
  }

  /** Returns whether the wait and the lead of a policy are within those of the settings. */
  public static boolean allows(ClockPolicy policy) {
    return policy.maxWait().compareTo(MAX_WAIT) <= 0 && policy.maxLead().compareTo(MAX_LEAD) <= 0;
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
