package io.firn.benchmarks;

import cn.hutool.core.date.DateTime;
import com.baomidou.mybatisplus.core.toolkit.Sequence;
import com.fasterxml.uuid.Generators;
import com.github.f4b6a3.tsid.Tsid;
import com.github.f4b6a3.tsid.TsidFactory;
import com.github.f4b6a3.ulid.UlidCreator;
import com.github.f4b6a3.uuid.UuidCreator;
import com.github.yitter.contract.IdGeneratorOptions;
import com.github.yitter.idgen.DefaultIdGenerator;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.InMemoryRegisterStore;
import io.firn.text.IdFormat;
import io.firn.time.TimeSource;
import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import java.time.Instant;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import me.ahoo.cosid.converter.Radix36IdConverter;
import me.ahoo.cosid.converter.Radix62IdConverter;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.agrona.concurrent.SnowflakeIdGenerator;
import org.agrona.concurrent.SystemEpochClock;

/**
 * The generators that are measured: Firn, its peers, and the lower bounds of cost. All have an
 * epoch of 2026 and ticks of 1 ms; they differ in their sequence bits.
 */
public enum Contender {
  FIRN_12("Firn `nextId()`", Race.SATURATED, 12, () -> shared(firn(10, 12)::nextId)),
  TWITTER_12("Twitter port", Race.SATURATED, 12, () -> shared(twitter(10, 12)::nextId)),
  AGRONA_12("Agrona", Race.SATURATED, 12, () -> shared(agrona(10, 12)::nextId)),
  HUTOOL_12("Hutool", Race.SATURATED, 12, () -> shared(hutool()::nextId)),
  COSID_12("CosId", Race.SATURATED, 12, () -> shared(cosId(10, 12)::generate)),
  MYBATIS_PLUS_12("MyBatis-Plus", Race.SATURATED, 12, () -> shared(new Sequence(0, 0)::nextId)),
  TSID_12("tsid-creator (borrows)", Race.SATURATED, 12, () -> shared(tsid(10))),
  YITTER_12("yitter (borrows)", Race.SATURATED, 12, () -> shared(yitter(12)::newLong)),

  CLOCK("`System.currentTimeMillis()`", Race.UNCAPPED, 0, () -> shared(System::currentTimeMillis)),
  COUNTER("`AtomicLong`", Race.UNCAPPED, 0, () -> shared(new AtomicLong()::incrementAndGet)),
  FIRN_22("Firn `nextId()`", Race.UNCAPPED, 22, () -> shared(firn(0, 22)::nextId)),
  LEASED_22("Firn `nextId()`, leased", Race.UNCAPPED, 22, () -> shared(leased()::nextId)),
  SCOPED_22(
      "Firn `nextId()`, leased, after a scope",
      Race.UNCAPPED,
      22,
      () -> shared(afterScope()::nextId)),
  COARSE_22("Firn `nextId()`, coarse clock", Race.UNCAPPED, 22, () -> shared(coarse()::nextId)),
  COARSE_LEASED_22(
      "Firn `nextId()`, coarse clock, leased",
      Race.UNCAPPED,
      22,
      () -> shared(coarseLeased()::nextId)),
  AGRONA_22("Agrona", Race.UNCAPPED, 22, () -> shared(agrona(0, 22)::nextId)),
  TSID_22("tsid-creator (borrows)", Race.UNCAPPED, 22, () -> shared(tsid(0))),
  COSID_22("CosId", Race.UNCAPPED, 22, () -> shared(cosId(0, 22)::generate)),
  TWITTER_22("Twitter port", Race.UNCAPPED, 22, () -> shared(twitter(0, 22)::nextId)),
  YITTER_15("yitter (borrows)", Race.UNCAPPED, 15, () -> shared(yitter(15)::newLong)),
  HANDLE("Firn handle", Race.UNCAPPED, 22, () -> handles(1)),
  HANDLE_16("Firn handle, 16 IDs per clock read", Race.UNCAPPED, 22, () -> handles(16)),
  HANDLE_256("Firn handle, 256 IDs per clock read", Race.UNCAPPED, 22, () -> handles(256)),
  BLOCKS("Firn `nextIds(long[1024])`", Race.UNCAPPED, 22, () -> blocks()),

  FIRN_1K("Firn, step 1,000", Race.SEGMENTS, 0, () -> shared(Segments.firn(1_000))),
  COSID_CHAIN_1K("CosId chain, step 1,000", Race.SEGMENTS, 0, () -> shared(Segments.chain(1_000))),
  COSID_1K("CosId, step 1,000", Race.SEGMENTS, 0, () -> shared(Segments.cosId(1_000))),
  FIRN_100K("Firn, step 100,000", Race.SEGMENTS, 0, () -> shared(Segments.firn(100_000))),
  COSID_CHAIN_100K(
      "CosId chain, step 100,000", Race.SEGMENTS, 0, () -> shared(Segments.chain(100_000))),
  COSID_100K("CosId, step 100,000", Race.SEGMENTS, 0, () -> shared(Segments.cosId(100_000))),
  FIRN_KEYS("Firn, 2,000 keys in turns", Race.SEGMENTS, 0, Segments::firnKeys),
  COSID_CHAIN_KEYS("CosId chain, 2,000 keys in turns", Race.SEGMENTS, 0, Segments::chainKeys),

  UUID4_FIRN("Firn `Uuids.v4()`", Race.WIDE, 0, () -> WideIds.shared(Uuids.v4()::nextId)),
  UUID4_JDK("`UUID.randomUUID()`", Race.WIDE, 0, () -> WideIds.shared(UUID::randomUUID)),
  UUID7_FIRN("Firn `Uuids.v7()`", Race.WIDE, 0, () -> WideIds.shared(Uuids.v7()::nextId)),
  UUID7_FIRN_16(
      "Firn `Uuids.v7`, 16 UUIDs per clock read", Race.WIDE, 0, () -> WideIds.sparingTheClock(16)),
  UUID7_FIRN_COARSE(
      "Firn `Uuids.v7`, coarse clock",
      Race.WIDE,
      0,
      () -> WideIds.shared(Uuids.v7(TimeSource.coarse())::nextId)),
  UUID7_CREATOR(
      "uuid-creator", Race.WIDE, 0, () -> WideIds.shared(UuidCreator::getTimeOrderedEpoch)),
  UUID7_CREATOR_FAST(
      "uuid-creator, fast",
      Race.WIDE,
      0,
      () -> WideIds.shared(UuidCreator::getTimeOrderedEpochFast)),
  UUID7_JUG(
      "JUG", Race.WIDE, 0, () -> WideIds.shared(Generators.timeBasedEpochGenerator()::generate)),
  ULID_FIRN("Firn `Ulid`", Race.WIDE, 0, () -> WideIds.shared(Ulid.generator()::nextId)),
  ULID_FIRN_EACH("Firn `Ulid`, one each", Race.WIDE, 0, WideIds::ulidGeneratorEach),
  ULID_FIRN_COARSE(
      "Firn `Ulid`, coarse clock",
      Race.WIDE,
      0,
      () -> WideIds.shared(Ulid.generator(TimeSource.coarse())::nextId)),
  ULID_CREATOR(
      "ulid-creator, monotonic", Race.WIDE, 0, () -> WideIds.shared(UlidCreator::getMonotonicUlid)),
  ULID_CREATOR_FAST(
      "ulid-creator, in no order",
      Race.WIDE,
      0,
      () -> WideIds.shared(com.github.f4b6a3.ulid.Ulid::fast)),
  OBJECTID_FIRN(
      "Firn `ObjectId`", Race.WIDE, 0, () -> WideIds.shared(ObjectId.generator()::nextId)),
  OBJECTID_FIRN_COARSE(
      "Firn `ObjectId`, coarse clock",
      Race.WIDE,
      0,
      () -> WideIds.shared(ObjectId.generator(TimeSource.coarse())::nextId)),
  OBJECTID_BSON("bson", Race.WIDE, 0, () -> WideIds.shared(org.bson.types.ObjectId::new)),
  BASE32_FIRN("Firn base32", Race.WIDE, 0, () -> WideIds.texts(IdFormat.BASE32::format)),
  BASE32_FIRN_BYTES("Firn base32 to bytes", Race.WIDE, 0, () -> WideIds.bytes(IdFormat.BASE32)),
  BASE32_FIRN_BUILDER(
      "Firn base32 to a builder", Race.WIDE, 0, () -> WideIds.builders(IdFormat.BASE32)),
  BASE32_TSID("tsid-creator", Race.WIDE, 0, () -> WideIds.texts(id -> Tsid.from(id).toString())),
  BASE62_FIRN("Firn base62", Race.WIDE, 0, () -> WideIds.texts(IdFormat.BASE62::format)),
  BASE62_FIRN_BYTES("Firn base62 to bytes", Race.WIDE, 0, () -> WideIds.bytes(IdFormat.BASE62)),
  BASE62_FIRN_BUILDER(
      "Firn base62 to a builder", Race.WIDE, 0, () -> WideIds.builders(IdFormat.BASE62)),
  BASE62_COSID(
      "CosId base62", Race.WIDE, 0, () -> WideIds.texts(Radix62IdConverter.PAD_START::asString)),
  BASE36_FIRN("Firn base36", Race.WIDE, 0, () -> WideIds.texts(IdFormat.BASE36::format)),
  BASE36_COSID(
      "CosId base36", Race.WIDE, 0, () -> WideIds.texts(Radix36IdConverter.PAD_START::asString)),
  ULIDTEXT_FIRN(
      "Firn text of a ULID", Race.WIDE, 0, () -> WideIds.ulidTexts(Ulid::toString, Ulid::new)),
  ULIDTEXT_CREATOR(
      "ulid-creator",
      Race.WIDE,
      0,
      () ->
          WideIds.ulidTexts(
              com.github.f4b6a3.ulid.Ulid::toString, com.github.f4b6a3.ulid.Ulid::new)),
  PARSE32_FIRN(
      "Firn, parsing base32",
      Race.WIDE,
      0,
      () -> WideIds.parsing(IdFormat.BASE32, IdFormat.BASE32::parse)),
  PARSE32_TSID(
      "tsid-creator, parsing",
      Race.WIDE,
      0,
      () -> WideIds.parsing(IdFormat.BASE32, text -> Tsid.from(text).toLong())),
  PARSE62_FIRN(
      "Firn, parsing base62",
      Race.WIDE,
      0,
      () -> WideIds.parsing(IdFormat.BASE62, IdFormat.BASE62::parse)),
  PARSE62_COSID(
      "CosId, parsing base62",
      Race.WIDE,
      0,
      () -> WideIds.parsing(IdFormat.BASE62, Radix62IdConverter.PAD_START::asLong)),
  PARSE36_FIRN(
      "Firn, parsing base36",
      Race.WIDE,
      0,
      () -> WideIds.parsing(IdFormat.BASE36, IdFormat.BASE36::parse)),
  PARSE36_COSID(
      "CosId, parsing base36",
      Race.WIDE,
      0,
      () -> WideIds.parsing(IdFormat.BASE36, Radix36IdConverter.PAD_START::asLong)),
  PARSEULID_FIRN(
      "Firn, parsing a ULID", Race.WIDE, 0, () -> WideIds.parsing(Ulid::new, Ulid::parse)),
  PARSEULID_CREATOR(
      "ulid-creator, parsing",
      Race.WIDE,
      0,
      () -> WideIds.parsing(Ulid::new, com.github.f4b6a3.ulid.Ulid::from)),
  PARSEUUID_FIRN(
      "Firn, parsing a UUID", Race.WIDE, 0, () -> WideIds.parsing(UUID::new, Uuids::parse)),
  PARSEUUID_CREATOR(
      "uuid-creator, parsing",
      Race.WIDE,
      0,
      () -> WideIds.parsing(UUID::new, UuidCreator::fromString));

  /** The settings that the contenders of one table share. */
  enum Race {
    /** 12 sequence bits: the layout ends what any of them can do. */
    SATURATED,
    /** Enough sequence bits that only the code and the hardware set the limit. */
    UNCAPPED,
    /** Numbers from a counter that is a millisecond away. */
    SEGMENTS,
    /** IDs of more than 64 bits, and texts. */
    WIDE;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** The number of IDs that a call of {@link #BLOCKS} fills. */
  static final int BLOCK = 1024;

  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  /** yitter keeps the first five sequence numbers of a tick for clocks that step back. */
  private static final int YITTER_RESERVED = 5;

  private final String title;
  private final Race race;
  private final int sequenceBits;

  @SuppressWarnings("ImmutableEnumChecker") // The lambdas above capture nothing.
  private final Supplier<Supplier<LongSupplier>> start;

  Contender(String title, Race race, int sequenceBits, Supplier<Supplier<LongSupplier>> start) {
    this.title = title;
    this.race = race;
    this.sequenceBits = sequenceBits;
    this.start = start;
  }

  String title() {
    return title;
  }

  Race race() {
    return race;
  }

  /** CosId's chain with the same step, in the race of segments. */
  Contender chain() {
    if (name().endsWith("_KEYS")) {
      return COSID_CHAIN_KEYS;
    }
    return name().endsWith("_100K") ? COSID_CHAIN_100K : COSID_CHAIN_1K;
  }

  /** Firn's own contender of the same kind, in the race of wide IDs. */
  Contender firn() {
    return valueOf(name().substring(0, name().indexOf('_')) + "_FIRN");
  }

  int sequenceBits() {
    return sequenceBits;
  }

  /**
   * Returns what the layout allows, in millions of IDs per second; infinite if there is no layout.
   */
  double ceiling() {
    if (sequenceBits == 0) {
      return Double.POSITIVE_INFINITY;
    }
    int unused = name().startsWith("YITTER") ? YITTER_RESERVED : 0;
    return ((1L << sequenceBits) - unused) / 1e3;
  }

  /** Starts a generator; each thread then takes what it calls from the supplier, once. */
  Supplier<LongSupplier> start() {
    return start.get();
  }

  private static Supplier<LongSupplier> shared(LongSupplier ids) {
    return () -> ids;
  }

  private static Supplier<LongSupplier> handles(int idsPerClockRead) {
    Snowflake firn = firn(0, 22);
    return () -> firn.newHandle(idsPerClockRead)::nextId;
  }

  private static Supplier<LongSupplier> blocks() {
    Snowflake firn = firn(0, 22);
    return () -> {
      long[] block = new long[BLOCK];
      return () -> {
        firn.nextIds(block, 0, BLOCK);
        return block[BLOCK - 1];
      };
    };
  }

  private static Snowflake firn(int workerBits, int sequenceBits) {
    IdLayout.Builder layout = IdLayout.builder().time(41);
    Snowflake.Builder firn = Snowflake.builder();
    if (workerBits > 0) {
      layout.worker(workerBits);
      firn.worker(0);
    }
    return firn.layout(layout.sequence(sequenceBits).epoch(EPOCH).build()).build();
  }

  private static Snowflake.Builder uncapped() {
    IdLayout layout = IdLayout.builder().time(41).sequence(22).epoch(EPOCH).build();
    return Snowflake.builder().layout(layout);
  }

  private static Snowflake leased() {
    return uncapped().lease(new InMemoryRegisterStore(), "bench").build();
  }

  private static Snowflake afterScope() {
    Snowflake leased = leased();
    leased.scope().close();
    return leased;
  }

  private static Snowflake coarse() {
    return uncapped().timeSource(TimeSource.coarse()).build();
  }

  private static Snowflake coarseLeased() {
    return uncapped()
        .lease(new InMemoryRegisterStore(), "bench")
        .timeSource(TimeSource.coarse())
        .build();
  }

  private static TwitterPort twitter(int workerBits, int sequenceBits) {
    return new TwitterPort(EPOCH.toEpochMilli(), workerBits, sequenceBits, 0);
  }

  private static SnowflakeIdGenerator agrona(int workerBits, int sequenceBits) {
    return new SnowflakeIdGenerator(
        workerBits, sequenceBits, 0, EPOCH.toEpochMilli(), SystemEpochClock.INSTANCE);
  }

  private static cn.hutool.core.lang.Snowflake hutool() {
    return new cn.hutool.core.lang.Snowflake(DateTime.from(EPOCH), 0, 0, false);
  }

  private static MillisecondSnowflakeId cosId(int workerBits, int sequenceBits) {
    return new MillisecondSnowflakeId(EPOCH.toEpochMilli(), 41, workerBits, sequenceBits, 0);
  }

  private static LongSupplier tsid(int workerBits) {
    TsidFactory factory =
        TsidFactory.builder().withCustomEpoch(EPOCH).withNodeBits(workerBits).withNode(0).build();
    return () -> factory.create().toLong();
  }

  private static DefaultIdGenerator yitter(int sequenceBits) {
    IdGeneratorOptions options = new IdGeneratorOptions((short) 0);
    options.BaseTime = EPOCH.toEpochMilli();
    options.SeqBitLength = (byte) sequenceBits;
    return new DefaultIdGenerator(options);
  }
}
