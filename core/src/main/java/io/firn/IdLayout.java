package io.firn;

import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.internal.AsciiCase;
import io.firn.internal.Require;
import io.firn.time.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The split of an ID's bits into time, datacenter, worker and sequence.
 *
 * <p>A layout is a list of fields, high to low, an epoch (the instant of tick 0) and a tick (the
 * unit of the time field, any whole number of milliseconds). Its text form says all of that and is
 * read back by {@link #of}: {@code 41t+5d+5w+12s@2010-11-04T01:42:54.657Z/1ms}.
 *
 * <p>Fields take at most 63 bits, so that an ID is never negative. 64 bits are accepted where time
 * comes first: such IDs are unsigned, and {@link #positiveUntil} is when their sign flips.
 *
 * <p>Layouts are immutable values; two with the same text form are equal.
 */
public final class IdLayout {

  /** The content of a field of an ID. */
  public enum Kind {
    /** Whole ticks since the epoch. */
    TIME('t'),
    /** The datacenter, in a layout that separates it from the worker. */
    DATACENTER('d'),
    /** The generator. */
    WORKER('w'),
    /** The number within one tick. */
    SEQUENCE('s');

    final char letter;

    Kind(char letter) {
      this.letter = letter;
    }

    /** Returns the name of the field in error messages and on the screen, in lower case. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /**
   * One field of a layout.
   *
   * @param kind its content
   * @param bits its width, 1..62
   * @param shift the number of bits below it, 0..64 - bits
   */
  public record Field(Kind kind, int bits, int shift) {

    private static final int MAX_BITS = 62;

    /**
     * Creates a field.
     *
     * @throws IllegalArgumentException if it has no bit, more than 62, or bits past the 64th
     */
    public Field {
      Require.inRange("bits", 1, MAX_BITS, bits);
      Require.inRange("shift", 0, Long.SIZE - bits, shift);
    }

    /** Returns the largest value that fits. */
    public long max() {
      return (1L << bits) - 1;
    }

    long in(long id) {
      return (id >>> shift) & max();
    }

    /** Compares all parts. What a record generates is built at its first call, in milliseconds. */
    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof Field field
          && kind == field.kind
          && bits == field.bits
          && shift == field.shift;
    }

    @Override
    public int hashCode() {
      return 31 * (31 * kind.hashCode() + bits) + shift;
    }

    long place(long value) {
      if (value < 0 || value > max()) {
        throw new IllegalArgumentException(
            kind.label()
                + ": "
                + value
                + " (expected: 0.."
                + max()
                + ", the layout has "
                + bits
                + " "
                + kind.label()
                + " bits)");
      }
      return value << shift;
    }
  }

  private static final Map<String, IdLayout> NAMED = new LinkedHashMap<>();

  /**
   * Firn's own and the default: 69 years from 2026, 1,024 workers, 4,096 IDs a millisecond each.
   */
  public static final IdLayout CLASSIC = named("classic", "41t+10w+12s@2026-01-01T00:00:00Z/1ms");

  /**
   * <a href="https://github.com/twitter-archive/snowflake/tree/snowflake-2010">Twitter, 2010</a>.
   */
  public static final IdLayout TWITTER =
      named("twitter", "41t+5d+5w+12s@2010-11-04T01:42:54.657Z/1ms");

  /** Apache ShardingSphere's {@code SNOWFLAKE}; its epoch read in UTC, as newer versions do. */
  public static final IdLayout SHARDINGSPHERE =
      named("shardingsphere", "41t+10w+12s@2016-11-01T00:00:00Z/1ms");

  /** Discord's API reference: worker and process, here datacenter and worker. Unsigned. */
  public static final IdLayout DISCORD = named("discord", "42t+5d+5w+12s@2015-01-01T00:00:00Z/1ms");

  /** Instagram's shard IDs, made in PostgreSQL. Unsigned; the sign flips in 2046. */
  public static final IdLayout INSTAGRAM =
      named("instagram", "41t+13w+10s@2011-08-24T21:07:01.721Z/1ms");

  /** Mastodon's status IDs: Unix milliseconds and 16 bits that are hashed from the row. */
  public static final IdLayout MASTODON = named("mastodon", "48t+16s@1970-01-01T00:00:00Z/1ms");

  /** Sonyflake v1: ticks of 10 ms; the worker is below the sequence. */
  public static final IdLayout SONYFLAKE =
      named("sonyflake", "39t+8s+16w@2014-09-01T00:00:00Z/10ms");

  /** Sonyflake v2: v1 with a newer epoch. */
  public static final IdLayout SONYFLAKE_V2 =
      named("sonyflake_v2", "39t+8s+16w@2025-01-01T00:00:00Z/10ms");

  /** Meituan's Leaf in snowflake mode; bwmarrin's Go library has the same bits. */
  public static final IdLayout LEAF = named("leaf", "41t+10w+12s@2010-11-04T01:42:54.657Z/1ms");

  /** Baidu's UidGenerator as shipped; its 28 bits of seconds ran out on 2024-11-20. */
  public static final IdLayout BAIDU = named("baidu", "28t+22w+13s@2016-05-19T16:00:00Z/1s");

  /** Apache Seata: the worker is above the time, so IDs sort by worker first. */
  public static final IdLayout SEATA = named("seata", "10w+41t+12s@2020-05-02T16:00:00Z/1ms");

  /** Hazelcast's FlakeIdGenerator. */
  public static final IdLayout HAZELCAST =
      named("hazelcast", "41t+6s+16w@2018-01-01T00:00:00Z/1ms");

  /** CosId's millisecond snowflake. */
  public static final IdLayout COSID = named("cosid", "41t+10w+12s@2019-12-24T16:00:00Z/1ms");

  /** ClickHouse's {@code generateSnowflakeID}: Unix milliseconds; until 2039-09-07. */
  public static final IdLayout CLICKHOUSE =
      named("clickhouse", "41t+10w+12s@1970-01-01T00:00:00Z/1ms");

  /** Yitter's IdGenerator with its default widths. */
  public static final IdLayout YITTER = named("yitter", "51t+6w+6s@2020-02-20T02:20:02.020Z/1ms");

  /** tsid-creator with its default 1,024 nodes. Unsigned. */
  public static final IdLayout TSID = named("tsid", "42t+10w+12s@2020-01-01T00:00:00Z/1ms");

  /** pgEdge's snowflake extension: the counter above the node, as in the IDs of its manual. */
  public static final IdLayout PGEDGE = named("pgedge", "41t+12s+10w@2023-01-01T00:00:00Z/1ms");

  /** 53 bits, which a JavaScript number holds exactly: 128 workers, 25,600 IDs a second each. */
  public static final IdLayout JS_SAFE = named("js_safe", "38t+7w+8s@2026-01-01T00:00:00Z/10ms");

  /** {@link #CLASSIC} for eight regions with separate stores: 128 workers each. */
  public static final IdLayout REGION = named("region", "41t+3d+7w+12s@2026-01-01T00:00:00Z/1ms");

  /** A million game servers, 4,096 IDs a second each, for 68 years. */
  public static final IdLayout GAME = named("game", "31t+20w+12s@2026-01-01T00:00:00Z/1s");

  private final List<Field> fields;
  private final int totalBits;
  private final long epochMillis;
  private final long tickMillis;

  private IdLayout(List<Field> fields, int totalBits, long epochMillis, long tickMillis) {
    this.fields = fields;
    this.totalBits = totalBits;
    this.epochMillis = epochMillis;
    this.tickMillis = tickMillis;
  }

  private static IdLayout named(String name, String text) {
    IdLayout layout = LayoutText.parse(text);
    NAMED.put(name, layout);
    return layout;
  }

  /** Returns the named layouts, {@code classic} first. Names are in lower case. */
  public static Map<String, IdLayout> named() {
    return Collections.unmodifiableMap(NAMED);
  }

  /**
   * Reads a name, in any case ({@code twitter}, {@code JS-SAFE}), or a text form ({@code
   * 41t+10w+12s@2026-01-01T00:00:00Z/1ms}).
   *
   * @throws IllegalArgumentException if it is neither
   */
  public static IdLayout of(String nameOrText) {
    IdLayout layout = NAMED.get(AsciiCase.lower(nameOrText).replace('-', '_'));
    return layout != null ? layout : LayoutText.parse(nameOrText);
  }

  /** Starts a layout from its highest field. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns the name of the named layout that equals this one. */
  public Optional<String> name() {
    return NAMED.entrySet().stream()
        .filter(entry -> entry.getValue().equals(this))
        .map(Map.Entry::getKey)
        .findFirst();
  }

  /**
   * Returns this layout with another epoch.
   *
   * @throws IllegalArgumentException if the epoch is not in whole milliseconds, or not between the
   *     years -292275055 and 292278994
   */
  public IdLayout withEpoch(Instant epoch) {
    Builder builder = builder().epoch(epoch).tick(tick());
    fields.forEach(field -> builder.field(field.kind(), field.bits()));
    return builder.build();
  }

  /** Returns the fields, high to low. */
  public List<Field> fields() {
    return fields;
  }

  /** Returns the field of that kind, if the layout has one. */
  public Optional<Field> field(Kind kind) {
    return Optional.ofNullable(find(kind));
  }

  private @Nullable Field find(Kind kind) {
    for (Field field : fields) {
      if (field.kind() == kind) {
        return field;
      }
    }
    return null;
  }

  /** Returns the width of that field, 0 if the layout has none. */
  public int bits(Kind kind) {
    Field field = find(kind);
    return field == null ? 0 : field.bits();
  }

  /** Returns the sum of all widths, 1..64. */
  public int totalBits() {
    return totalBits;
  }

  /** Returns the instant of tick 0. */
  public Instant epoch() {
    return Instant.ofEpochMilli(epochMillis);
  }

  /** Returns the unit of the time field, a whole number of milliseconds. */
  public Duration tick() {
    return Duration.ofMillis(tickMillis);
  }

  long epochMillis() {
    return epochMillis;
  }

  long tickMillis() {
    return tickMillis;
  }

  /** Returns where that field begins, counted from the lowest bit; 0 if there is none. */
  public int shift(Kind kind) {
    Field field = find(kind);
    return field == null ? 0 : field.shift();
  }

  /**
   * Puts an ID together.
   *
   * @param tick whole ticks since the epoch
   * @param datacenter 0 if the layout has no datacenter
   * @param worker 0 if the layout has no worker
   * @param sequence 0 if the layout has no sequence
   * @throws IllegalArgumentException if a value does not fit its field
   */
  public long compose(long tick, long datacenter, long worker, long sequence) {
    return place(Kind.TIME, tick)
        | place(Kind.DATACENTER, datacenter)
        | place(Kind.WORKER, worker)
        | place(Kind.SEQUENCE, sequence);
  }

  long place(Kind kind, long value) {
    Field field = find(kind);
    if (field == null) {
      if (value != 0) {
        throw new IllegalArgumentException(
            kind.label() + ": " + value + " (expected: none, the layout is " + this + ")");
      }
      return 0;
    }
    return field.place(value);
  }

  /**
   * Takes an ID apart.
   *
   * @throws IllegalArgumentException if the ID has bits above the layout's
   */
  public IdParts parse(long id) {
    if (!fits(id)) {
      throw new IllegalArgumentException(
          "id: "
              + id
              + " (expected: 0.."
              + ((1L << totalBits) - 1)
              + ", the layout is "
              + this
              + ")");
    }
    long tick = get(Kind.TIME, id);
    return new IdParts(
        id,
        instantAt(tick),
        tick,
        get(Kind.DATACENTER, id),
        get(Kind.WORKER, id),
        get(Kind.SEQUENCE, id));
  }

  /** Returns whether the ID has no bits above the layout's. */
  public boolean fits(long id) {
    return totalBits == 64 || id >>> totalBits == 0;
  }

  private long get(Kind kind, long id) {
    Field field = find(kind);
    return field == null ? 0 : field.in(id);
  }

  /**
   * Returns when a tick begins.
   *
   * @param tick whole ticks since the epoch; negative before it
   * @throws IllegalArgumentException if its milliseconds since 1970-01-01T00:00Z do not fit into 64
   *     bits
   */
  public Instant instantAt(long tick) {
    try {
      return Instant.ofEpochMilli(Math.addExact(epochMillis, Math.multiplyExact(tick, tickMillis)));
    } catch (ArithmeticException e) {
      throw new IllegalArgumentException(
          "tick: " + tick + " (expected: one whose time is within 64 bits of milliseconds)", e);
    }
  }

  /**
   * Returns the smallest ID of the tick that holds {@code instant}, for range queries on a key
   * column: {@code id >= minId(from) AND id <= maxId(to)}. In an unsigned (64-bit) layout the
   * bounds compare unsigned.
   *
   * @throws IllegalArgumentException if the instant is before the epoch or not before {@link
   *     #expiresAt}
   * @throws UnsupportedOperationException if time is not the highest field: such IDs do not sort by
   *     time
   */
  public long minId(Instant instant) {
    Field time = fields.get(0);
    if (time.kind() != Kind.TIME) {
      throw new UnsupportedOperationException(
          "layout: " + this + " (expected: time as the highest field, for a range of IDs)");
    }
    if (instant.isBefore(epoch()) || !instant.isBefore(expiresAt())) {
      throw new IllegalArgumentException(
          "instant: "
              + instant
              + " (expected: from "
              + epoch()
              + " to before "
              + expiresAt()
              + ")");
    }
    return tickAt(instant) << time.shift();
  }

  /** Returns the tick that holds an instant before the end; 0 if it is before the epoch. */
  long tickAt(Instant instant) {
    return instant.isBefore(epoch()) ? 0 : (instant.toEpochMilli() - epochMillis) / tickMillis;
  }

  /** Returns the largest ID of the tick that holds {@code instant}; see {@link #minId}. */
  public long maxId(Instant instant) {
    return minId(instant) | ((1L << fields.get(0).shift()) - 1);
  }

  /** Returns how many IDs one worker can have in a second. */
  public double capacityPerSecond() {
    return Math.scalb(1000.0, bits(Kind.SEQUENCE)) / tickMillis;
  }

  /** Returns how many generators there can be: datacenters times workers. */
  public long workers() {
    return 1L << (bits(Kind.DATACENTER) + bits(Kind.WORKER));
  }

  /**
   * Returns datacenter and worker as one number of {@code 0..workers()-1}, the datacenter above.
   *
   * @param datacenter 0 in a layout without datacenters
   * @throws IllegalArgumentException if one does not fit the layout
   */
  public long workerId(long datacenter, long worker) {
    place(Kind.DATACENTER, datacenter);
    place(Kind.WORKER, worker);
    return (datacenter << bits(Kind.WORKER)) | worker;
  }

  /**
   * Returns the worker IDs of {@code 0..workers()-1} that belong to these datacenters.
   *
   * @throws IllegalArgumentException if the layout has not all of them, or there are none
   */
  public WorkerSet workersOf(WorkerSet datacenters) {
    int bits = bits(Kind.WORKER);
    long last = (1L << bits(Kind.DATACENTER)) - 1;
    return WorkerSet.of(
        datacenters.within("datacenters", last, this).ranges().stream()
            .map(
                range ->
                    new WorkerSet.Range(range.first() << bits, ((range.last() + 1) << bits) - 1))
            .toList());
  }

  /**
   * Returns a worker ID of {@code 0..workers()-1} in its place: datacenter above worker if it has
   * both.
   *
   * @throws IllegalArgumentException if the layout does not have it
   */
  public long placeWorkerId(long workerId) {
    long last = workers() - 1;
    if (workerId < 0 || workerId > last) {
      throw new IllegalArgumentException(
          "worker: " + workerId + " (expected: 0.." + last + ", the layout is " + this + ")");
    }
    int workerBits = bits(Kind.WORKER);
    return place(Kind.DATACENTER, workerId >>> workerBits)
        | place(Kind.WORKER, workerId & ((1L << workerBits) - 1));
  }

  /** Returns the first instant that the time field cannot hold. */
  public Instant expiresAt() {
    return instantAt(lastTick() + 1);
  }

  /**
   * Returns the end of what a generator issues: the first instant whose ID would be negative as a
   * {@code long}. The same as {@link #expiresAt} unless the layout is unsigned (64 bits).
   */
  public Instant positiveUntil() {
    return instantAt(lastPositiveTick() + 1);
  }

  private long lastTick() {
    return (1L << bits(Kind.TIME)) - 1;
  }

  /** Returns the last tick whose IDs are positive: the one that {@link #positiveUntil} ends. */
  public long lastPositiveTick() {
    return totalBits == 64 ? lastTick() >>> 1 : lastTick();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof IdLayout layout
        && fields.equals(layout.fields)
        && epochMillis == layout.epochMillis
        && tickMillis == layout.tickMillis;
  }

  @Override
  public int hashCode() {
    return 31 * (31 * fields.hashCode() + Long.hashCode(epochMillis)) + Long.hashCode(tickMillis);
  }

  /** Returns the text form, which {@link #of} reads. */
  @Override
  public String toString() {
    return LayoutText.format(this);
  }

  /** Collects the fields of a layout, high to low, in the order of the calls. Not thread-safe. */
  public static final class Builder {

    private static final Instant FIRST_EPOCH = Instant.ofEpochMilli(Long.MIN_VALUE);
    private static final Instant LAST_EPOCH = Instant.ofEpochMilli(Long.MAX_VALUE);
    private static final Duration LONGEST_TICK = Duration.ofMillis(Long.MAX_VALUE);

    private final List<Field> widths = new ArrayList<>();
    private @Nullable Instant epoch;
    private @Nullable Duration tick;
    private boolean built;

    Builder() {}

    /** Adds the time field, {@code bits} wide. */
    public Builder time(int bits) {
      return field(Kind.TIME, bits);
    }

    /** Adds the datacenter field, {@code bits} wide. */
    public Builder datacenter(int bits) {
      return field(Kind.DATACENTER, bits);
    }

    /** Adds the worker field, {@code bits} wide. */
    public Builder worker(int bits) {
      return field(Kind.WORKER, bits);
    }

    /** Adds the sequence field, {@code bits} wide. */
    public Builder sequence(int bits) {
      return field(Kind.SEQUENCE, bits);
    }

    Builder field(Kind kind, int bits) {
      if (bits < 1 || bits > Field.MAX_BITS) {
        throw new IllegalArgumentException(
            kind.label() + ": " + bits + " bits (expected: 1.." + Field.MAX_BITS + ")");
      }
      for (Field field : widths) {
        once(kind.label(), field.kind() == kind ? field.bits() : null, bits);
      }
      widths.add(new Field(kind, bits, 0));
      return this;
    }

    /** Sets the instant of tick 0, in whole milliseconds. Required. */
    public Builder epoch(Instant epoch) {
      if (!epoch.equals(epoch.truncatedTo(ChronoUnit.MILLIS))) {
        throw new IllegalArgumentException("epoch: " + epoch + " (expected: whole milliseconds)");
      }
      if (epoch.isBefore(FIRST_EPOCH) || epoch.isAfter(LAST_EPOCH)) {
        throw new IllegalArgumentException(
            "epoch: " + epoch + " (expected: between the years -292275055 and 292278994)");
      }
      this.epoch = once("epoch", this.epoch, epoch);
      return this;
    }

    /** Sets the unit of the time field, in whole milliseconds; 1 ms unless set. */
    public Builder tick(Duration tick) {
      if (tick.isNegative()
          || tick.isZero()
          || tick.compareTo(LONGEST_TICK) > 0
          || !tick.equals(tick.truncatedTo(ChronoUnit.MILLIS))) {
        throw new IllegalArgumentException(
            "tick: "
                + DurationText.write(tick)
                + " (expected: a whole number of milliseconds, 1.."
                + Long.MAX_VALUE
                + ")");
      }
      this.tick = once("tick", this.tick, tick);
      return this;
    }

    /**
     * Builds the layout.
     *
     * @throws IllegalArgumentException if the fields do not make an ID
     */
    public IdLayout build() {
      built = buildOnce(built);
      if (epoch == null) {
        throw new IllegalArgumentException("epoch: not set (expected: the instant of tick 0)");
      }
      long tickMillis = tick == null ? 1 : tick.toMillis();
      String shape = LayoutText.shape(widths);
      int timeBits = bits(Kind.TIME);
      if (timeBits == 0) {
        throw new IllegalArgumentException("layout: " + shape + " (expected: a time field)");
      }
      int total = widths.stream().mapToInt(Field::bits).sum();
      if (total > 64 || (total == 64 && widths.get(0).kind() != Kind.TIME)) {
        throw new IllegalArgumentException(
            LayoutText.tooWide(shape, widths, total, timeBits, tickMillis));
      }
      if (bits(Kind.DATACENTER) + bits(Kind.WORKER) > 62) {
        throw new IllegalArgumentException(
            "layout: " + shape + " (expected: at most 62 bits of datacenter and worker)");
      }
      long epochMillis = epoch.toEpochMilli();
      try {
        Math.addExact(epochMillis, Math.multiplyExact(1L << timeBits, tickMillis));
      } catch (ArithmeticException e) {
        throw new IllegalArgumentException(
            "layout: " + shape + " (expected: an end before the year 292278994)", e);
      }
      return new IdLayout(shifted(widths), total, epochMillis, tickMillis);
    }

    private int bits(Kind kind) {
      return widths.stream().filter(f -> f.kind() == kind).mapToInt(Field::bits).sum();
    }

    private static List<Field> shifted(List<Field> widths) {
      Field[] fields = new Field[widths.size()];
      int shift = 0;
      for (int i = fields.length - 1; i >= 0; i--) {
        Field width = widths.get(i);
        fields[i] = new Field(width.kind(), width.bits(), shift);
        shift += width.bits();
      }
      return List.of(fields);
    }
  }
}
