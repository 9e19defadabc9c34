package io.firn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import cn.hutool.core.date.DateTime;
import com.github.f4b6a3.tsid.TsidFactory;
import com.github.yitter.contract.IdGeneratorOptions;
import com.github.yitter.idgen.DefaultIdGenerator;
import com.xfvape.uid.impl.DefaultUidGenerator;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.WorkerSet;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.lease.NoFreeWorkerException;
import io.firn.lease.WorkerEntry;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.IdHistory;
import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.concurrent.CountDownLatch;
import java.util.function.LongSupplier;
import me.ahoo.cosid.snowflake.MillisecondSnowflakeId;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The libraries that people come from, from the registry, beside Firn in one namespace: no ID is
 * issued by both if their workers are reserved, and some are if a lease has the same worker.
 */
class SideBySideTest {

  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");
  private static final LocalDate UID_EPOCH = LocalDate.parse("2026-01-01");
  private static final int WORKER = 5;
  private static final int BATCH = 1_000;

  /** The system property with the number of IDs that each of both issues. */
  private static final String IDS_PROPERTY = "firn.sideBySide.ids";

  /** A generator as its documentation makes it, with worker 5. */
  enum Old {
    COSID("41t+10w+12s@2019-12-24T16:00:00Z/1ms") {
      @Override
      LongSupplier start() {
        long epoch = IdLayout.COSID.epoch().toEpochMilli();
        return new MillisecondSnowflakeId(epoch, 41, 10, 12, WORKER)::generate;
      }
    },
    HUTOOL("41t+5d+5w+12s@2026-01-01T00:00:00Z/1ms") {
      @Override
      LongSupplier start() {
        return new cn.hutool.core.lang.Snowflake(DateTime.from(EPOCH), WORKER, 0, false)::nextId;
      }
    },
    TSID("41t+10w+12s@2026-01-01T00:00:00Z/1ms") {
      @Override
      LongSupplier start() {
        TsidFactory factory =
            TsidFactory.builder().withCustomEpoch(EPOCH).withNodeBits(10).withNode(WORKER).build();
        return () -> factory.create().toLong();
      }
    },
    YITTER("41t+10w+12s@2026-01-01T00:00:00Z/1ms") {
      @Override
      LongSupplier start() {
        IdGeneratorOptions options = new IdGeneratorOptions((short) WORKER);
        options.BaseTime = EPOCH.toEpochMilli();
        options.WorkerIdBitLength = 10;
        options.SeqBitLength = 12;
        return new DefaultIdGenerator(options)::newLong;
      }
    },
    /**
     * Baidu's, with a layout that has not run out; it reads its epoch in the zone of the process.
     */
    UID_GENERATOR(
        "31t+14w+18s@" + UID_EPOCH.atStartOfDay(ZoneId.systemDefault()).toInstant() + "/1s") {
      @Override
      LongSupplier start() {
        DefaultUidGenerator generator = new DefaultUidGenerator();
        generator.setTimeBits(31);
        generator.setWorkerBits(14);
        generator.setSeqBits(18);
        generator.setEpochStr(UID_EPOCH.toString());
        generator.setWorkerIdAssigner(() -> WORKER);
        try {
          generator.afterPropertiesSet();
        } catch (Exception e) { // as the interface says
          throw new IllegalStateException(e);
        }
        return generator::getUID;
      }
    },
    /** Twitter's and Leaf's algorithm, which no registry has. */
    TWITTER("41t+10w+12s@2026-01-01T00:00:00Z/1ms") {
      @Override
      LongSupplier start() {
        return new TwitterPort(EPOCH.toEpochMilli(), 10, 12, WORKER)::nextId;
      }
    };

    private final String layout;

    Old(String layout) {
      this.layout = layout;
    }

    IdLayout layout() {
      return IdLayout.of(layout);
    }

    /** Returns how many IDs it issues in the large size: UidGenerator has 262,144 in a second. */
    int mostIds() {
      return this == UID_GENERATOR ? 8_000_000 : 20_000_000;
    }

    abstract LongSupplier start();
  }

  @ParameterizedTest
  @EnumSource
  void noIdIsIssuedByBothIfTheWorkerIsReserved(Old old) throws Exception {
    RegisterStore store = new InMemoryRegisterStore();
    Namespace namespace = Namespace.of(store, "orders");
    WorkerSet workers = WorkerSet.of("" + WORKER);
    assertThat(namespace.reserve(workers, old.layout(), "old", WorkerEntry.NEVER, false))
        .hasSize(1);
    LeaseConfig same =
        LeaseConfig.builder(store, "orders")
            .worker(WORKER)
            .acquireTimeout(Duration.ofMillis(1))
            .build();
    assertThatThrownBy(() -> Snowflake.builder().layout(old.layout()).lease(same).build())
        .isInstanceOf(NoFreeWorkerException.class);

    IdHistory.Report report =
        run(
            old,
            LeaseConfig.builder(store, "orders").build(),
            Integer.getInteger(IDS_PROPERTY, Sizes.deep(1_000_000, old.mostIds())));
    assertThat(report.duplicates()).as(report::toString).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void withoutTheReservationTheSameIdsAreIssued(Old old) throws Exception {
    LeaseConfig same =
        LeaseConfig.builder(new InMemoryRegisterStore(), "orders").worker(WORKER).build();
    assertThat(run(old, same, 1_000_000).duplicates()).isPositive();
  }

  /**
   * Has both issue at least that many, at the same time: one that is done with them goes on until
   * the other is done.
   */
  private static IdHistory.Report run(Old old, LeaseConfig lease, int each) throws Exception {
    try (IdHistory history = new IdHistory(2, 64L << 20);
        Snowflake firn = Snowflake.builder().layout(old.layout()).lease(lease).build()) {
      LongSupplier other = old.start();
      CountDownLatch unfinished = new CountDownLatch(2);
      TestThreads threads = new TestThreads();
      for (LongSupplier ids : new LongSupplier[] {other, firn::nextId}) {
        IdHistory.Writer writer = history.newWriter();
        threads.start(
            () -> {
              try {
                for (int i = 0; i < each; i += BATCH) {
                  issue(ids, writer);
                }
              } finally {
                unfinished.countDown();
              }
              while (unfinished.getCount() > 0) {
                issue(ids, writer);
              }
            });
      }
      threads.join();
      IdHistory.Report report = history.finish();
      assertThat(report.count()).isGreaterThanOrEqualTo(2L * each);
      return report;
    }
  }

  private static void issue(LongSupplier ids, IdHistory.Writer writer) {
    long[] batch = new long[BATCH];
    for (int i = 0; i < BATCH; i++) {
      batch[i] = ids.getAsLong();
    }
    writer.add(batch, 0, BATCH);
  }
}
