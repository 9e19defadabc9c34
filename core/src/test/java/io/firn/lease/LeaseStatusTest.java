package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.Snowflake;
import io.firn.integration.WorkerFields;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A holder shows its lease without the store as others read it in the store. */
class LeaseStatusTest {

  private final Fleet fleet = new Fleet();

  @Test
  void holderOfALossyStoreHasTheFieldsThatTheStoreShows() {
    fleet.withIdentity().store.thatMayForget();
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    assertThat(snowflake.nextId()).isPositive();

    assertThat(own(snowflake))
        .isEqualTo(stored())
        .containsEntry("leads_until", "2026-11-01T00:01:00.000Z");
  }

  @Test
  void holderShowsItsLowMarkOnceAWatermarkIsRead() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    assertThat(own(snowflake)).isEqualTo(stored()).doesNotContainKey("low");

    Watermark watermark = fleet.watermark();
    assertThat(watermark.current()).isNotNull();
    fleet.pass(Duration.ofMinutes(2));

    assertThat(own(snowflake)).isEqualTo(stored()).containsKey("low");
  }

  private static Map<String, Object> own(Snowflake snowflake) {
    LeaseStatus status = snowflake.leaseStatus().orElseThrow();
    return shared(WorkerFields.of(status, snowflake.stats().lead()));
  }

  private Map<String, Object> stored() {
    Namespace namespace = fleet.namespace();
    WorkerEntry entry = namespace.workers().get(0);
    return shared(
        new WorkerFields("orders", entry, namespace.mark(), fleet.now(), Optional.empty()));
  }

  /** Leaves out the fields that only the holder has. */
  private static Map<String, Object> shared(WorkerFields fields) {
    Map<String, Object> values = fields.values();
    values.put("own", null);
    values.put("lead_ms", null);
    values.put("since_renewal_ms", null);
    return values;
  }
}
