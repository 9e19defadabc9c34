package io.firn.lease;

import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdScope;
import io.firn.Snowflake;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The first watermark of a namespace whose generators have used scopes before. */
class FirstWatermarkTest {

  private final Fleet fleet = new Fleet();

  @BeforeEach
  void giveTheStoreAClock() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
  }

  @Test
  void firstWatermarkWaitsForCommitsOfHoldersThatWereReplacedWithoutAGrace() {
    Snowflake writer = fleet.member().start(ONE_WORKER);
    IdScope scope = writer.scope();
    long id = scope.nextId();
    fleet.pass(Duration.ofSeconds(10));
    fleet.store.goDown();
    fleet.pass(Duration.ofSeconds(10));
    scope.beforeCommit(); // the commit is sent now, and applied within the grace after the fence
    fleet.time.advance(Duration.ofSeconds(10)); // the process is stopped
    fleet.store.comeBack();
    Snowflake next = fleet.member().start(ONE_WORKER);
    assertThat(worker(next)).isEqualTo(worker(writer));

    Watermark watermark =
        Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.member()).build();
    assertThat(watermark.current().id()).as("the first").isLessThan(id);
    fleet.time.advance(Duration.ofSeconds(9));
    assertThat(watermark.current().id()).as("9 s later").isLessThan(id);
    fleet.pass(Duration.ofSeconds(30));
    assertThat(watermark.current().id()).isGreaterThan(id);
  }

  @Test
  void firstWatermarkWaitsForCommitsOfAHolderWhoseWorkerWasReserved() {
    IdScope scope = fleet.member().start(ONE_WORKER).scope();
    long id = scope.nextId();
    fleet.time.advance(Duration.ofSeconds(24));
    scope.beforeCommit();
    fleet.time.advance(Duration.ofSeconds(11)); // the process is stopped, its fence was at 30 s
    var unused = fleet.namespace().reserve(0, ONE_WORKER, "old Leaf", WorkerEntry.NEVER, false);

    Watermark watermark =
        Watermark.builder(fleet.store, NAMESPACE)
            .timeSource(fleet.member())
            .leavesOutReserved()
            .build();
    assertThat(watermark.current().id()).as("the first").isLessThan(id);
    fleet.time.advance(Duration.ofSeconds(10));
    assertThat(watermark.current().id()).isGreaterThan(id);
  }
}
