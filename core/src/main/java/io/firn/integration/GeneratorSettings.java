package io.firn.integration;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.SequenceStart;
import io.firn.Snowflake;
import io.firn.internal.WholeNumber;
import io.firn.lease.AfterLoss;
import io.firn.lease.Lease;
import io.firn.lease.LeaseConfig;
import io.firn.lease.WorkerTimes;
import io.firn.store.RegisterStore;
import io.firn.time.DurationText;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link Snowflake}, as every front end of Firn reads them. A component is null
 * where nothing was set: the builders then use their own defaults.
 *
 * @param layout the layout of the IDs
 * @param nextLayout the layout to switch to when the namespace of the lease changes to it
 * @param datacenter the datacenter, where the layout has datacenters; under a lease without {@code
 *     worker}, any worker ID of it is leased
 * @param worker the worker ID; under a lease, the only one that the lease may take, or any
 * @param instance the name of this process for operators
 * @param window how much ID time is leased at once
 * @param acquireTimeout how long the start waits for a free worker ID
 * @param maxClockSkew how far the clock of this process may be from the store's
 * @param maxSplit how long a store that was replaced may answer beside the new one
 * @param afterLoss what a new process does soon after its store may have lost writes
 * @param settleTime how long new processes lead or wait after their store may have lost writes
 * @param carryOver the directory in which the rest of a window stays over a restart while the store
 *     is down
 * @param maxLead how far IDs may run ahead of the clock
 * @param maxWait how long a call waits for a clock that moved backwards
 * @param sequenceStart which sequence number a tick starts with
 * @param clockPolicy sets {@code maxLead}, {@code maxWait} and {@code sequenceStart} at once
 * @param allowUnderTenYears whether a layout that ends in under ten years is accepted
 */
public record GeneratorSettings(
    @Nullable IdLayout layout,
    @Nullable IdLayout nextLayout,
    @Nullable Long datacenter,
    @Nullable WorkerNumber worker,
    @Nullable String instance,
    @Nullable Duration window,
    @Nullable Duration acquireTimeout,
    @Nullable Duration maxClockSkew,
    @Nullable Duration maxSplit,
    @Nullable AfterLoss afterLoss,
    @Nullable Duration settleTime,
    @Nullable Path carryOver,
    @Nullable Duration maxLead,
    @Nullable Duration maxWait,
    @Nullable SequenceStart sequenceStart,
    @Nullable ClockPolicy clockPolicy,
    @Nullable Boolean allowUnderTenYears) {

  /**
   * Creates settings.
   *
   * @throws IllegalArgumentException if one is set beside another that it replaces
   */
  public GeneratorSettings {
    refuseBesideClockPolicy(clockPolicy, Setting.MAX_LEAD, maxLead);
    refuseBesideClockPolicy(clockPolicy, Setting.MAX_WAIT, maxWait);
    refuseBesideClockPolicy(clockPolicy, Setting.SEQUENCE_START, sequenceStart);
  }

  private static void refuseBesideClockPolicy(
      @Nullable ClockPolicy policy, Setting part, @Nullable Object value) {
    if (policy != null && value != null) {
      throw new IllegalArgumentException(
          part.key()
              + ": "
              + Setting.text(value)
              + " (expected: not set beside "
              + Setting.CLOCK_POLICY.key()
              + ")");
    }
  }

  /** The settings by name, with the text form of their values. */
  public enum Setting {
    LAYOUT("NAME|SPEC", "The layout of the IDs."),
    NEXT_LAYOUT("NAME|SPEC", "The layout to switch to when the namespace changes to it."),
    DATACENTER("N", "The datacenter; alone, any of its workers is leased."),
    WORKER("N|ordinal|lease", "The worker ID, the pod's ordinal, or lease for any, the default."),
    INSTANCE("NAME", "A name of this process for operators; the host's name by default."),
    WINDOW("TIME", "How much ID time is leased at once."),
    ACQUIRE_TIMEOUT(
        "TIME",
        "How long the start waits for a free worker ID and for the store; by default for a worker"
            + " ID that is set, until it is free."),
    MAX_CLOCK_SKEW("TIME", "How far the clock may be from the store's; 5 s by default."),
    MAX_SPLIT(
        "TIME",
        "How long a store that was replaced may answer beside the new one; 10 s by default."),
    AFTER_LOSS(
        "ahead|wait",
        "What a new process does soon after a loss of writes; the same in all processes, ahead"
            + " by default."),
    SETTLE_TIME(
        "TIME",
        "How long new processes lead or wait after a loss of writes: 60 s, or what this process"
            + " needs."),
    CARRY_OVER(
        "DIRECTORY",
        "Where the rest of a window stays over a restart while the store is down; nowhere by"
            + " default."),
    MAX_LEAD("TIME", "How far IDs may run ahead of the clock."),
    MAX_WAIT("TIME", "How long a call waits for a clock that moved backwards."),
    SEQUENCE_START(
        "RULE", "The first sequence number of a tick: continue, zero, random(N) or rotating(N)."),
    CLOCK_POLICY(
        "POLICY",
        "Sets max-lead, max-wait and sequence-start at once: twitter, leaf, shardingsphere(TIME,N)"
            + " or baidu(TIME)."),
    ALLOW_UNDER_TEN_YEARS("on|off", "Accept a layout that ends in under ten years.");

    private final String form;
    private final String description;

    Setting(String form, String description) {
      this.form = form;
      this.description = description;
    }

    /** Returns the setting of that name; empty if there is none. */
    public static Optional<Setting> of(String key) {
      return Arrays.stream(values()).filter(setting -> setting.key().equals(key)).findFirst();
    }

    /** Returns the name, such as {@code max-lead}. */
    public String key() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /**
     * Returns the settings that replace this one: a generator that sets one of them does not
     * inherit this.
     */
    public Set<Setting> replacedBy() {
      return switch (this) {
        case NEXT_LAYOUT -> EnumSet.of(LAYOUT);
        case CLOCK_POLICY -> EnumSet.of(MAX_LEAD, MAX_WAIT, SEQUENCE_START);
        case MAX_LEAD, MAX_WAIT, SEQUENCE_START -> EnumSet.of(CLOCK_POLICY);
        default -> EnumSet.noneOf(Setting.class);
      };
    }

    /** Returns the text form of a value, such as {@code TIME}, for help texts. */
    public String form() {
      return form;
    }

    /** Returns what the setting is for, as one sentence. */
    public String description() {
      return description;
    }

    /**
     * Reads a value from its text.
     *
     * @throws IllegalArgumentException if the text is not of the setting's form
     */
    public Object parse(String text) {
      return switch (this) {
        case LAYOUT, NEXT_LAYOUT -> IdLayout.of(text);
        case DATACENTER -> number(text);
        case WORKER -> WorkerNumber.of(text);
        case INSTANCE -> text;
        case WINDOW, ACQUIRE_TIMEOUT, MAX_CLOCK_SKEW, MAX_SPLIT, SETTLE_TIME, MAX_LEAD, MAX_WAIT ->
            DurationText.parse(text)
                .orElseThrow(() -> refused(text, "a time, as 500ms or 5s or 2m or 1h"));
        case AFTER_LOSS -> AfterLoss.of(text);
        case CARRY_OVER -> path(text);
        case SEQUENCE_START -> SequenceStart.of(text);
        case CLOCK_POLICY -> ClockPolicy.of(text);
        case ALLOW_UNDER_TEN_YEARS -> flag(text);
      };
    }

    /** Returns the text of a value of a setting, which {@link #parse} reads. */
    public static String text(Object value) {
      if (value instanceof IdLayout layout) {
        return layout.name().orElseGet(layout::toString);
      }
      if (value instanceof Duration time) {
        return DurationText.write(time);
      }
      return value instanceof AfterLoss choice ? choice.label() : value.toString();
    }

    /** Returns the message of a builder, with the names of settings in place of its own. */
    public static String withKeys(String message) {
      String renamed = message;
      for (Setting setting : values()) {
        String builderName = setting.builderName();
        renamed =
            renamed.replace(builderName + "()", setting.key()).replace(builderName, setting.key());
      }
      return renamed;
    }

    /**
     * Returns what builders make, and names settings in their messages as their user does.
     *
     * @throws IllegalArgumentException if a builder refuses a setting
     */
    public static <T> T withKeys(Supplier<T> built) {
      try {
        return built.get();
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(withKeys(String.valueOf(e.getMessage())), e);
      }
    }

    /** Returns the name in builders and their messages, such as {@code maxLead}. */
    private String builderName() {
      String[] words = key().split("-", -1);
      StringBuilder name = new StringBuilder(words[0]);
      for (int i = 1; i < words.length; i++) {
        name.append(Character.toUpperCase(words[i].charAt(0))).append(words[i].substring(1));
      }
      return name.toString();
    }

    private Long number(String text) {
      try {
        return WholeNumber.parse(text);
      } catch (NumberFormatException e) {
        throw refused(text, "a whole number");
      }
    }

    private Path path(String text) {
      try {
        return Path.of(text);
      } catch (InvalidPathException e) {
        throw refused(text, "a path");
      }
    }

    private Boolean flag(String text) {
      return switch (text) {
        case "on", "true" -> true;
        case "off", "false" -> false;
        default -> throw refused(text, "on or off");
      };
    }

    private IllegalArgumentException refused(String text, String expected) {
      return new IllegalArgumentException(key() + ": " + text + " (expected: " + expected + ")");
    }
  }

  /**
   * Reads settings by name.
   *
   * @param values returns the value of a setting, typed or as text; null if it is not set
   * @throws IllegalArgumentException if a text is not of its setting's form
   */
  public static GeneratorSettings of(Function<Setting, @Nullable Object> values) {
    return new GeneratorSettings(
        read(values, Setting.LAYOUT, IdLayout.class),
        read(values, Setting.NEXT_LAYOUT, IdLayout.class),
        read(values, Setting.DATACENTER, Long.class),
        read(values, Setting.WORKER, WorkerNumber.class),
        read(values, Setting.INSTANCE, String.class),
        read(values, Setting.WINDOW, Duration.class),
        read(values, Setting.ACQUIRE_TIMEOUT, Duration.class),
        read(values, Setting.MAX_CLOCK_SKEW, Duration.class),
        read(values, Setting.MAX_SPLIT, Duration.class),
        read(values, Setting.AFTER_LOSS, AfterLoss.class),
        read(values, Setting.SETTLE_TIME, Duration.class),
        read(values, Setting.CARRY_OVER, Path.class),
        read(values, Setting.MAX_LEAD, Duration.class),
        read(values, Setting.MAX_WAIT, Duration.class),
        read(values, Setting.SEQUENCE_START, SequenceStart.class),
        read(values, Setting.CLOCK_POLICY, ClockPolicy.class),
        read(values, Setting.ALLOW_UNDER_TEN_YEARS, Boolean.class));
  }

  /**
   * Reads the settings of a generator by name, which inherits those of all generators.
   *
   * @param own returns the value that is set for the generator; null if there is none
   * @param all returns the value that is set for all; null if there is none
   * @throws IllegalArgumentException if a text is not of its setting's form
   */
  public static GeneratorSettings of(
      Function<Setting, @Nullable Object> own, Function<Setting, @Nullable Object> all) {
    return of(
        setting -> {
          Object value = own.apply(setting);
          boolean replaced =
              setting.replacedBy().stream().anyMatch(other -> own.apply(other) != null);
          return value != null || replaced ? value : all.apply(setting);
        });
  }

  private static <T> @Nullable T read(
      Function<Setting, @Nullable Object> values, Setting setting, Class<T> type) {
    Object value = values.apply(setting);
    if (value == null) {
      return null;
    }
    return type.cast(type.isInstance(value) ? value : setting.parse(value.toString()));
  }

  /**
   * Checks datacenter and worker against the layout. The ordinal of a pod is not asked for.
   *
   * @throws IllegalArgumentException if there is a worker without its datacenter, or one does not
   *     fit the layout
   */
  public void checkWorker() {
    var unused = workerId(worker == null ? 0 : worker.number().orElse(0));
  }

  /**
   * Returns the datacenter and the worker as one number, as leases count them; empty if any worker
   * may be leased, or any of the datacenter.
   *
   * @throws IllegalArgumentException if there is a worker without its datacenter, or one does not
   *     fit the layout, or this process is not in a pod that has an ordinal
   */
  public OptionalLong pinnedWorker() {
    return pinnedWorker(GeneratorSettings::ordinal);
  }

  private static long ordinal() {
    return WorkerNumber.ordinal(System::getenv);
  }

  OptionalLong pinnedWorker(LongSupplier ordinals) {
    WorkerNumber wanted = worker;
    checkWorker();
    if (wanted == null || wanted.isLeased()) {
      return OptionalLong.empty();
    }
    if (!wanted.isOrdinal()) {
      return OptionalLong.of(workerId(wanted.number().orElseThrow()));
    }
    long ordinal = ordinals.getAsLong();
    try {
      return OptionalLong.of(workerId(ordinal));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          String.valueOf(e.getMessage()).replaceFirst("^worker: ", "worker: ordinal "), e);
    }
  }

  private long workerId(long number) {
    IdLayout used = layout == null ? IdLayout.CLASSIC : layout;
    boolean pinned = worker != null && !worker.isLeased();
    if (pinned && datacenter == null && used.field(Kind.DATACENTER).isPresent()) {
      throw new IllegalArgumentException(
          "datacenter: not set (expected: both datacenter and worker)");
    }
    if (datacenter == null) {
      return used.workerId(0, number);
    }
    Lease.checkDatacenter(datacenter, used);
    return used.workerId(datacenter, number);
  }

  /**
   * Returns a builder of a generator with the worker ID of these settings.
   *
   * @throws IllegalArgumentException if a setting is given that only a lease has
   */
  public Snowflake.Builder fixed() {
    refuseWithoutLease(Setting.INSTANCE, instance);
    refuseWithoutLease(Setting.WINDOW, window);
    refuseWithoutLease(Setting.ACQUIRE_TIMEOUT, acquireTimeout);
    refuseWithoutLease(Setting.MAX_CLOCK_SKEW, maxClockSkew);
    refuseWithoutLease(Setting.MAX_SPLIT, maxSplit);
    refuseWithoutLease(Setting.AFTER_LOSS, afterLoss);
    refuseWithoutLease(Setting.SETTLE_TIME, settleTime);
    refuseWithoutLease(Setting.CARRY_OVER, carryOver);
    WorkerNumber number = worker;
    Snowflake.Builder builder = unassigned();
    set(datacenter, builder::datacenter);
    if (number != null) {
      refuseWithoutLease(Setting.WORKER, number.number().isEmpty() ? number : null);
      builder.worker(number.number().orElseThrow());
    }
    return builder;
  }

  private static void refuseWithoutLease(Setting setting, @Nullable Object value) {
    if (value != null) {
      throw new IllegalArgumentException(
          setting.key() + ": " + Setting.text(value) + " (expected: only with a lease)");
    }
  }

  /**
   * Returns a builder of a generator that leases its worker ID: the one of these settings, or any
   * that is free, in their datacenter if that is set. With a datacenter alone, or with the ordinal
   * of a pod, the lease is {@linkplain LeaseConfig.Builder#datacenter bound} to it.
   *
   * @param lease where to lease; what these settings have of a lease is set here
   */
  public Snowflake.Builder leased(LeaseConfig.Builder lease) {
    return leased(lease, GeneratorSettings::ordinal);
  }

  /**
   * Returns a builder of a generator that leases its worker ID, as {@link
   * #leased(LeaseConfig.Builder)}.
   *
   * @param lease where to lease
   * @param ordinal returns the worker ID of a process whose worker ID is the ordinal of its pod
   */
  public Snowflake.Builder leased(LeaseConfig.Builder lease, LongSupplier ordinal) {
    set(instance, lease::instance);
    set(window, lease::window);
    set(acquireTimeout, lease::acquireTimeout);
    set(maxClockSkew, lease::maxClockSkew);
    set(maxSplit, lease::maxSplit);
    set(afterLoss, lease::afterLoss);
    set(settleTime, lease::settleTime);
    set(carryOver, lease::carryOverIn);
    if (worker == null || worker.number().isEmpty()) {
      set(datacenter, lease::datacenter);
    }
    pinnedWorker(ordinal).ifPresent(lease::worker);
    return unassigned().lease(lease.build());
  }

  /**
   * Returns the lease of blocks of IDs beside generators with these settings: with their clock skew
   * and split, and the settling time of the namespace.
   *
   * @throws IllegalArgumentException if the store may forget and the namespace is not there
   * @throws io.firn.store.StoreException if the store cannot be asked
   */
  public LeaseConfig ofBlocks(RegisterStore store, String namespace) {
    return WorkerTimes.lease(store, namespace, maxClockSkew, maxSplit);
  }

  private Snowflake.Builder unassigned() {
    Snowflake.Builder builder = Snowflake.builder();
    set(layout, builder::layout);
    set(nextLayout, builder::nextLayout);
    set(maxLead, builder::maxLead);
    set(maxWait, builder::maxWait);
    set(sequenceStart, builder::sequenceStart);
    set(clockPolicy, builder::clockPolicy);
    if (Boolean.TRUE.equals(allowUnderTenYears)) {
      builder.allowUnderTenYears();
    }
    return builder;
  }

  private static <T> void set(@Nullable T value, Consumer<T> setter) {
    if (value != null) {
      setter.accept(value);
    }
  }
}
