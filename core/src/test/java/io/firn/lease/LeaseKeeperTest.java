package io.firn.lease;

import static io.firn.lease.Fleet.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore;
import io.firn.store.InMemoryRegisterStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {

  private final Fleet fleet = new Fleet();

  @Test
  void oneKeeperRenewsAThousandGenerators() {
    Member member = fleet.member();
    List<Snowflake> all = new ArrayList<>();
    Set<Long> ids = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      all.add(member.start(IdLayout.CLASSIC, member.lease("tenant-" + i)));
    }
    assertThat(all.stream().map(Fleet::worker).distinct()).hasSize(1_000);

    fleet.pass(Duration.ofMinutes(1));

    for (Snowflake snowflake : all) {
      assertThat(Fleet.fence(snowflake)).isEqualTo(START.plusSeconds(90));
      assertThat(ids.add(snowflake.nextId())).isTrue();
    }
    all.subList(0, 500).forEach(Snowflake::close);
    fleet.pass(Duration.ofMinutes(1));
    for (Snowflake snowflake : all.subList(500, 1_000)) {
      assertThat(ids.add(snowflake.nextId())).isTrue();
    }
    assertThat(member.keeper.runDue()).isEqualTo(15_000_000_000L);
  }

  @Test
  void keeperWithoutLeasesRestsForAMinute() {
    Member member = fleet.member();
    assertThat(member.keeper.runDue()).isEqualTo(60_000_000_000L);
    Snowflake snowflake = member.start(Fleet.ONE_WORKER);
    assertThat(member.keeper.runDue()).isEqualTo(15_000_000_000L);

    snowflake.close();

    assertThat(member.keeper.runDue()).isEqualTo(60_000_000_000L);
  }

  @Test
  void failureOfOneLeaseDelaysNoOther() {
    Member member = fleet.member();
    FaultyStore down = new FaultyStore();
    LeaseConfig.Builder failing = LeaseConfig.builder(down, "orders").keeper(member.keeper);
    Snowflake first = member.start(Fleet.ONE_WORKER, failing);
    Snowflake second = member.start(Fleet.ONE_WORKER);
    down.goDown();

    fleet.pass(Duration.ofMinutes(2));

    assertThat(first.leaseStatus().orElseThrow().lastError()).isPresent();
    assertThat(Fleet.timeOf(second, second.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void renewalThatIsRequestedDuringARenewalFollowsIt() {
    Member member = fleet.member();
    fleet.store.withClock(member::currentTimeMillis);
    Snowflake snowflake = member.start(Fleet.ONE_WORKER);
    fleet.pass(Duration.ofMillis(14_900));
    fleet.store.beforeNextWrite(
        () -> {
          member.ahead(Duration.ofHours(1)); // the clock jumps in the middle of the renewal
          try {
            snowflake.nextId();
          } catch (LeaseExpiredException e) {
            return;
          }
          throw new AssertionError("issued past the fence");
        });
    fleet.time.advance(Duration.ofMillis(100));
    member.keeper.runDue();

    assertThat(Fleet.timeOf(snowflake, snowflake.nextId()))
        .isEqualTo(fleet.now().plus(Duration.ofHours(1)));
  }

  @Test
  void sharedKeeperRenewsOnADaemonThread() throws Exception {
    InMemoryRegisterStore store = new InMemoryRegisterStore();
    LeaseConfig lease = LeaseConfig.builder(store, "orders").window(Duration.ofMillis(200)).build();
    try (Snowflake snowflake = Snowflake.builder().lease(lease).build()) {
      var fence = Fleet.fence(snowflake);
      while (!Fleet.fence(snowflake).isAfter(fence.plusMillis(300))) {
        snowflake.nextId();
        Thread.sleep(5);
      }
    }
    assertThat(
            Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("firn-lease-[0-9]+")))
        .isNotEmpty()
        .allMatch(Thread::isDaemon);
  }
}
