package io.firn.spring;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.integration.GeneratorSettings;
import io.firn.integration.GeneratorSettings.Setting;
import io.firn.integration.WorkerNumber;
import io.firn.lease.AfterLoss;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * The properties {@code firn.*}.
 *
 * @param store Where worker IDs are leased and counters kept: an address, such as
 *     redis://HOST:6379, or 'datasource' or 'redis' for the application's own, which take the
 *     parameters of an address, such as redis:?replicas=1. Need not be set where the application
 *     has one of these and firn-jdbc or firn-redis.
 * @param worker Which worker ID: 'lease' for any that is free, 'ordinal' for the number of the pod
 *     (POD_INDEX, or the end of POD_NAME or HOSTNAME), or a number. Each is taken under a lease.
 * @param workerOffset What is added to the ordinal, so that two StatefulSets have different worker
 *     IDs; only with the worker 'ordinal'.
 * @param instance A name for this process that operators see; the host's unless set.
 * @param window How long IDs keep flowing without the store, and how long a worker ID stays taken
 *     after a crash.
 * @param acquireTimeout How long start-up waits for a free worker ID.
 * @param maxClockSkew How far this host's clock may be from the store's when it asks for a lease.
 * @param maxSplit How long a store that was replaced may answer beside the new one; 10 s unless
 *     set.
 * @param readiness Whether the application takes itself out of service while a lease has ended.
 * @param namespaces The families of IDs that must not collide, by name. Each has a generator, a
 *     bean with its name as qualifier; 'default' is the primary one, and there is no other where
 *     none is named. Names alone, as in 'orders, items', take the default settings.
 */
@ConfigurationProperties(prefix = "firn", ignoreUnknownFields = false)
record FirnProperties(
    @Nullable String store,
    @DefaultValue("lease") String worker,
    @DefaultValue("0") long workerOffset,
    @Nullable String instance,
    @DefaultValue("30s") Duration window,
    @DefaultValue("1m") Duration acquireTimeout,
    @DefaultValue("5s") Duration maxClockSkew,
    @Nullable Duration maxSplit,
    @DefaultValue("true") boolean readiness,
    @DefaultValue Map<String, Namespace> namespaces) {

  /** The kinds of generators. */
  enum Type {
    SNOWFLAKE,
    SEGMENT
  }

  /**
   * The source of the metadata for the namespace 'default': the values of a map have none.
   *
   * @param ofDefault The properties of the namespace.
   */
  @ConfigurationProperties("firn.namespaces")
  record Described(@Name("default") @NestedConfigurationProperty Namespace ofDefault) {}

  /**
   * The properties of one namespace.
   *
   * @param type Snowflake for IDs that show their time, segment for numbers from a shared counter.
   * @param layout How the bits of an ID are split, a name or a text form; for snowflake.
   * @param nextLayout The layout to switch to when the namespace changes to it; for snowflake.
   * @param datacenter The datacenter, in a layout that has one. Without a worker, any worker ID of
   *     it is leased, in the store that has it as home; for snowflake.
   * @param worker Which worker ID: 'lease', 'ordinal' or a number; as firn.worker unless set; for
   *     snowflake.
   * @param instance A name for this process that operators see; as firn.instance unless set; for
   *     snowflake.
   * @param window How much ID time is leased at once; as firn.window unless set; for snowflake.
   * @param acquireTimeout How long the start waits for a free worker ID; as firn.acquire-timeout
   *     unless set; for snowflake.
   * @param maxClockSkew How far this host's clock may be from the store's; as firn.max-clock-skew
   *     unless set; for snowflake.
   * @param maxSplit How long a store that was replaced may answer beside the new one; as
   *     firn.max-split unless set; for snowflake.
   * @param afterLoss What a new process does soon after the store may have lost writes: begin ahead
   *     of the clock, or wait. The same in all processes of the namespace, ahead unless set; for
   *     snowflake.
   * @param settleTime How long new processes lead or wait after the store may have lost writes; 60
   *     s, or what this process needs; for snowflake.
   * @param carryOver The directory in which the rest of a window stays over a restart while the
   *     store is down; nowhere unless set; for snowflake.
   * @param maxLead How far IDs may run ahead of the clock; for snowflake.
   * @param maxWait How long a call waits: for a clock that moved backwards, or for a segment.
   * @param sequenceStart The first sequence number of a tick: continue, zero, random(N) or
   *     rotating(N); for snowflake.
   * @param clockPolicy Sets max-lead, max-wait and sequence-start as twitter, leaf,
   *     shardingsphere(TIME,N) or baidu(TIME) do; for snowflake.
   * @param allowUnderTenYears Accept a layout that ends in under ten years; for snowflake.
   * @param transactionScopes Whether each transaction draws its IDs in a scope, so that readers who
   *     page up to the watermark miss no row; for snowflake.
   * @param commitGuard Whether the scope of a transaction is also checked in its database, so that
   *     no commit is too late; the table of registers must be there; for snowflake.
   * @param step How many numbers are fetched at once; for segment.
   * @param initial The first number of a new counter; for segment.
   */
  record Namespace(
      @DefaultValue("snowflake") Type type,
      @Nullable IdLayout layout,
      @Nullable IdLayout nextLayout,
      @Nullable Long datacenter,
      @Nullable String worker,
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
      @DefaultValue("false") boolean allowUnderTenYears,
      @DefaultValue("false") boolean transactionScopes,
      @DefaultValue("false") boolean commitGuard,
      @Nullable Long step,
      @Nullable Long initial) {

    static final Namespace UNSET =
        new Namespace(
            Type.SNOWFLAKE,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            false,
            false,
            false,
            null,
            null);

    /**
     * Refuses what only a generator of the other type has.
     *
     * @throws IllegalArgumentException if such a setting is there
     */
    void checkType() {
      if (type == Type.SNOWFLAKE) {
        refuse("step", step, Type.SEGMENT);
        refuse("initial", initial, Type.SEGMENT);
        return;
      }
      refuse(Setting.LAYOUT.key(), layout, Type.SNOWFLAKE);
      refuse(Setting.NEXT_LAYOUT.key(), nextLayout, Type.SNOWFLAKE);
      refuse(Setting.DATACENTER.key(), datacenter, Type.SNOWFLAKE);
      refuse(Setting.WORKER.key(), worker, Type.SNOWFLAKE);
      refuse(Setting.INSTANCE.key(), instance, Type.SNOWFLAKE);
      refuse(Setting.WINDOW.key(), window, Type.SNOWFLAKE);
      refuse(Setting.ACQUIRE_TIMEOUT.key(), acquireTimeout, Type.SNOWFLAKE);
      refuse(Setting.MAX_CLOCK_SKEW.key(), maxClockSkew, Type.SNOWFLAKE);
      refuse(Setting.MAX_SPLIT.key(), maxSplit, Type.SNOWFLAKE);
      refuse(Setting.AFTER_LOSS.key(), afterLoss, Type.SNOWFLAKE);
      refuse(Setting.SETTLE_TIME.key(), settleTime, Type.SNOWFLAKE);
      refuse(Setting.CARRY_OVER.key(), carryOver, Type.SNOWFLAKE);
      refuse(Setting.MAX_LEAD.key(), maxLead, Type.SNOWFLAKE);
      refuse(Setting.SEQUENCE_START.key(), sequenceStart, Type.SNOWFLAKE);
      refuse(Setting.CLOCK_POLICY.key(), clockPolicy, Type.SNOWFLAKE);
      refuse(Setting.ALLOW_UNDER_TEN_YEARS.key(), on(allowUnderTenYears), Type.SNOWFLAKE);
      refuse("transaction-scopes", on(transactionScopes), Type.SNOWFLAKE);
      refuse("commit-guard", on(commitGuard), Type.SNOWFLAKE);
    }

    private static @Nullable Boolean on(boolean setting) {
      return setting ? true : null;
    }

    private static void refuse(String key, @Nullable Object value, Type owner) {
      if (value != null) {
        throw new IllegalArgumentException(
            key
                + ": "
                + Setting.text(value)
                + " (expected: only with type: "
                + owner.name().toLowerCase(Locale.ROOT)
                + ")");
      }
    }

    /** Returns the settings of a snowflake, with those of all namespaces where it has none. */
    GeneratorSettings generator(FirnProperties all) {
      return new GeneratorSettings(
          layout,
          nextLayout,
          datacenter,
          WorkerNumber.of(worker == null ? all.worker() : worker),
          own(instance, all.instance()),
          own(window, all.window()),
          own(acquireTimeout, all.acquireTimeout()),
          own(maxClockSkew, all.maxClockSkew()),
          own(maxSplit, all.maxSplit()),
          afterLoss,
          settleTime,
          carryOver,
          maxLead,
          maxWait,
          sequenceStart,
          clockPolicy,
          allowUnderTenYears);
    }

    /** Returns the value of this namespace, or of all where it has none. */
    private static <T> @Nullable T own(@Nullable T value, @Nullable T ofAll) {
      return value == null ? ofAll : value;
    }
  }

  /**
   * Refuses an offset that no worker ID has.
   *
   * @throws IllegalArgumentException if there is one, and no worker is the ordinal
   */
  void checkOffset() {
    boolean hasOrdinal =
        Stream.concat(
                Stream.of(worker),
                namespaces.values().stream().flatMap(one -> Stream.ofNullable(one.worker())))
            .anyMatch(WorkerNumber.ORDINAL.text()::equals);
    if (workerOffset != 0 && !hasOrdinal) {
      throw new IllegalArgumentException(
          "worker-offset: " + workerOffset + " (expected: only with worker: ordinal)");
    }
  }

  /** Returns a namespace, with nothing set if it is not configured. */
  Namespace namespace(String name) {
    return namespaces.getOrDefault(name, Namespace.UNSET);
  }

  /** Returns the properties without the store: its address may hold a password. */
  @Override
  public String toString() {
    return "FirnProperties" + namespaces.keySet();
  }
}
