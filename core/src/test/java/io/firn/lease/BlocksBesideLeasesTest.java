package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks and generators of one namespace, whose workers are few and whose writes get lost. */
class BlocksBesideLeasesTest {

  private static final IdLayout FOUR_WORKERS = IdLayout.of("45t+2w+6s@2026-01-01T00:00:00Z/1ms");
  private static final Fault[] FAULTS = {
    Fault.REPLY_LOST, Fault.REQUEST_LOST, Fault.LATE, Fault.SENT_TWICE
  };

  private final Fleet fleet = new Fleet();
  private final Member loader = fleet.member();
  private final Set<Long> ids = new HashSet<>();
  private long issued;
  private int blocksTaken;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void noIdIsIssuedTwice(long seed) {
    ManualTimeSource dice = new ManualTimeSource(Fleet.START, seed);
    List<Snowflake> generators = new ArrayList<>();
    for (int step = 0; step < 600; step++) {
      if (dice.random(4) == 0) {
        fleet.store.nextWrites(FAULTS[(int) dice.random(FAULTS.length)]);
      }
      try {
        switch ((int) dice.random(6)) {
          case 0 -> start(generators);
          case 1 -> {
            if (!generators.isEmpty()) {
              generators.remove((int) dice.random(generators.size())).close();
            }
          }
          case 2 -> {
            IdBlocks blocks = blocks();
            issue(() -> blocks.take(1 + dice.random(5_000)).forEach(this::add));
            blocksTaken++;
          }
          default -> generators.forEach(each -> issue(() -> add(each.nextId())));
        }
      } catch (FirnException e) { // no worker is free, or the store does not answer
        fleet.pass(Duration.ofMillis(200));
      }
      if (dice.random(20) == 0) {
        fleet.store.deliverLate();
      }
      fleet.pass(Duration.ofMillis(dice.random(3_000)));
    }

    assertThat(ids).hasSize((int) issued);
    assertThat(blocksTaken).isGreaterThan(20);
  }

  private void start(List<Snowflake> generators) {
    if (generators.size() < 3) {
      Member member = fleet.member();
      generators.add(member.start(FOUR_WORKERS));
    }
  }

  private IdBlocks blocks() {
    return IdBlocks.builder(fleet.store, Fleet.NAMESPACE)
        .layout(FOUR_WORKERS)
        .timeSource(loader)
        .build();
  }

  private void issue(Runnable draw) {
    try {
      draw.run();
    } catch (FirnException e) { // its lease has ended, or no worker is free
      assertThat(e.getMessage()).isNotEmpty();
    }
  }

  private void add(long id) {
    issued++;
    ids.add(id);
  }
}
