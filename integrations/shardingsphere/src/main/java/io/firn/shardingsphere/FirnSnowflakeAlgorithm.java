package io.firn.shardingsphere;

import io.firn.ClockPolicy;
import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.integration.GeneratorSettings;
import io.firn.integration.GeneratorSettings.Setting;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.apache.shardingsphere.infra.algorithm.core.context.AlgorithmSQLContext;
import org.apache.shardingsphere.infra.algorithm.keygen.core.KeyGenerateAlgorithm;
import org.jspecify.annotations.Nullable;

/**
 * The type {@value #TYPE}: 64-bit, time-ordered IDs of a {@link io.firn.Snowflake}, of
 * ShardingSphere's own layout unless another is given.
 *
 * <p>Properties: {@code store} and {@code namespace} to lease a worker ID, or {@code worker} to
 * give it (with a store, to take that one and no other), and the other settings of a generator,
 * such as {@code layout}, {@code window} and {@code max-lead}. ShardingSphere's own {@code
 * worker-id}, {@code max-vibration-offset} and {@code max-tolerate-time-difference-milliseconds}
 * are understood too. Thread-safe.
 */
public final class FirnSnowflakeAlgorithm implements KeyGenerateAlgorithm {

  private static final String TYPE = "FIRN_SNOWFLAKE";

  private static final String STORE = "store";
  private static final String NAMESPACE = "namespace";
  private static final String WORKER = "worker-id";
  private static final String VIBRATION = "max-vibration-offset";
  private static final String TOLERANCE = "max-tolerate-time-difference-milliseconds";

  /** The default wait of a generator; ShardingSphere's own tolerance is 10 ms. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(1);

  private static final List<String> NAMES =
      Stream.of(
              Stream.of(STORE, NAMESPACE),
              Arrays.stream(Setting.values()).map(Setting::key),
              Stream.of(WORKER, VIBRATION, TOLERANCE))
          .flatMap(names -> names)
          .toList();

  private @Nullable IdGenerator ids;

  /** Creates an instance for ShardingSphere, which then calls {@link #init}. */
  public FirnSnowflakeAlgorithm() {}

  /**
   * Takes the properties. Leases nothing: ShardingSphere calls it on algorithms that it never uses.
   *
   * @throws IllegalArgumentException if one is unknown, or has a value that it cannot have
   */
  @Override
  public void init(Properties properties) {
    AlgorithmProperties given = AlgorithmProperties.of(properties, NAMES);
    try {
      ids = generator(given);
    } catch (IllegalArgumentException e) {
      String message =
          Setting.withKeys(String.valueOf(e.getMessage()))
              .replace("maxVibrationOffset: ", VIBRATION + ": ");
      throw new IllegalArgumentException(withOwnNames(message, given), e);
    }
  }

  private static IdGenerator generator(AlgorithmProperties given) {
    GeneratorSettings settings = GeneratorSettings.of(setting -> value(given, setting));
    if (given.text(STORE) != null) {
      return SharedGenerators.leased(given.required(STORE), given.required(NAMESPACE), settings);
    }
    if (given.text(NAMESPACE) != null) {
      throw new IllegalArgumentException(
          NAMESPACE + ": " + given.text(NAMESPACE) + " (expected: with a store)");
    }
    return SharedGenerators.fixed(settings);
  }

  /** Returns a message with ShardingSphere's own name of a setting, where that was given. */
  private static String withOwnNames(String message, AlgorithmProperties given) {
    for (Setting setting : Setting.values()) {
      String own = ownName(setting);
      String rule = "(expected: ";
      if (own != null
          && given.text(own) != null
          && given.text(setting.key()) == null
          && message.startsWith(setting.key() + ": ")
          && message.contains(rule)) {
        return own + ": " + given.text(own) + " " + message.substring(message.indexOf(rule));
      }
    }
    return message;
  }

  private static @Nullable String ownName(Setting setting) {
    return switch (setting) {
      case WORKER -> WORKER;
      case MAX_WAIT -> TOLERANCE;
      case SEQUENCE_START -> VIBRATION;
      default -> null;
    };
  }

  private static @Nullable Object value(AlgorithmProperties given, Setting setting) {
    Object own =
        switch (setting) {
          case LAYOUT -> given.text(setting.key()) == null ? IdLayout.SHARDINGSPHERE : null;
          case WORKER -> given.number(WORKER);
          case MAX_WAIT -> given.text(VIBRATION) == null ? tolerance(given) : null;
          case CLOCK_POLICY -> clockPolicy(given);
          default -> null;
        };
    String text = given.text(setting.key());
    if (own != null && text != null) {
      throw new IllegalArgumentException(
          setting.key() + ": " + text + " (expected: not beside ShardingSphere's own name for it)");
    }
    return text == null ? own : text;
  }

  private static @Nullable ClockPolicy clockPolicy(AlgorithmProperties given) {
    Long offset = given.number(VIBRATION);
    Duration tolerance = tolerance(given);
    return offset == null
        ? null
        : ClockPolicy.shardingSphere(tolerance == null ? MAX_WAIT : tolerance, offset);
  }

  private static @Nullable Duration tolerance(AlgorithmProperties given) {
    Long millis = given.number(TOLERANCE);
    return millis == null ? null : Duration.ofMillis(millis);
  }

  @Override
  public Collection<? extends Comparable<?>> generateKeys(AlgorithmSQLContext sql, int count) {
    IdGenerator generator = ids;
    if (generator == null) {
      throw new IllegalStateException(
          "The algorithm " + TYPE + " was not initialized; let ShardingSphere create it");
    }
    return SharedGenerators.nextKeys(generator, count);
  }

  @Override
  public String getType() {
    return TYPE;
  }
}
