package io.firn.lease;

import static io.firn.lease.Fleet.START;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.Snowflake;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.lease.LayoutChange.Plan;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;

/** A namespace whose layout changes at a time, with its processes. */
abstract class ChangingNamespace {

  /** 1,024 workers and 53 bits: its numbers are smaller than those of the other one. */
  static final IdLayout OLD = IdLayout.of("40t+10w+3s@2026-01-01T00:00:00Z/1ms");

  /** Another tick, another epoch, fewer workers; its IDs are above all of {@link #OLD}. */
  static final IdLayout NEW = IdLayout.of("46t+4w+12s@1970-01-01T00:00:00.003Z/10ms");

  /** Fewer workers than {@link #OLD}, and numbers in common with that. */
  static final IdLayout LIKE_OLD = IdLayout.of("40t+8w+5s@2026-01-01T00:00:00Z/1ms");

  static final Instant AT = START.plusSeconds(3600).plusMillis(7);

  final Fleet fleet = new Fleet();
  final LayoutChange change = LayoutChange.of(fleet.namespace().registers());

  @BeforeEach
  void giveTheStoreAClock() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
  }

  Snowflake startBoth(Member member) {
    return member.start(member.builder(OLD, member.lease()).nextLayout(NEW));
  }

  void passUntil(Instant time) {
    fleet.pass(Duration.between(fleet.now(), time));
  }

  Plan change() {
    return change.apply(NEW, AT, false);
  }

  /** Checks that an ID is of the one layout before the change, or of the other one after it. */
  static void checkTimes(long id) {
    if (isNew(id)) {
      IdParts parts = NEW.parse(id);
      assertThat(parts.instant()).isAfterOrEqualTo(AT);
    } else {
      IdParts parts = OLD.parse(id);
      assertThat(parts.instant().plus(OLD.tick())).isBeforeOrEqualTo(AT);
    }
  }

  static boolean isNew(long id) {
    return !OLD.fits(id);
  }

  /** Leaves behind what a tool does that ends after its first step. */
  void propose(Instant at) {
    leave(at, Layouts.State.PROPOSED);
  }

  void leave(Instant at, Layouts.State state) {
    Layouts layouts =
        Layouts.of(OLD).withNext(new Layouts.Next(NEW, at.toEpochMilli(), state, "1"));
    fleet.store.put("orders/layout", new NamespaceRecord(layouts, Homes.NONE, null).text());
  }

  IdBlocks blocks(IdLayout layout) {
    return IdBlocks.builder(LeaseConfig.builder(fleet.store, "orders").build())
        .layout(layout)
        .timeSource(fleet.time)
        .build();
  }

  /** Starts a generator whose name leads it to that worker. */
  Snowflake startOn(Member member, long worker) {
    for (int i = 0; ; i++) {
      Snowflake snowflake = member.builder(OLD, member.lease("host-" + i)).nextLayout(NEW).build();
      if (Fleet.worker(snowflake) >= NEW.workers() || Fleet.worker(snowflake) == worker) {
        return snowflake;
      }
      snowflake.close();
    }
  }
}
