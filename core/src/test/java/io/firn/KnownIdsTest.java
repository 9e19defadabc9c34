package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

/** IDs and ends that others published. */
class KnownIdsTest {

  private static void reads(
      IdLayout layout, long id, String instant, long datacenter, long worker, long sequence) {
    IdParts parts = layout.parse(id);
    long tick =
        (Instant.parse(instant).toEpochMilli() - layout.epoch().toEpochMilli())
            / layout.tick().toMillis();
    assertThat(parts)
        .isEqualTo(new IdParts(id, Instant.parse(instant), tick, datacenter, worker, sequence));
    assertThat(layout.compose(tick, datacenter, worker, sequence)).isEqualTo(id);
  }

  @Test
  void readsDiscordsExample() {
    reads(IdLayout.DISCORD, 175928847299117063L, "2016-04-30T11:18:25.796Z", 1, 0, 7);
  }

  @Test
  void readsTwittersIds() {
    reads(IdLayout.TWITTER, 1541815603606036480L, "2022-06-28T16:07:40.105Z", 11, 26, 0);
    assertThat((1541815603606036480L >>> 12) & 1023).isEqualTo(378);
    IdParts parts = IdLayout.TWITTER.parse(1212092628029698048L);
    assertThat(parts.instant()).isEqualTo("2019-12-31T19:26:16.771Z");
    assertThat(parts.datacenter()).isEqualTo(10);
    assertThat(parts.worker()).isEqualTo(7);
  }

  @Test
  void readsBwmarrinsId() {
    reads(IdLayout.LEAF, 1116766490855473152L, "2019-04-12T18:14:14.595Z", 0, 0, 0);
  }

  @Test
  void readsInstagramsId() {
    assertThat(1387263000L << 23 | 1341 << 10 | 905).isEqualTo(11637205501278089L);
    reads(IdLayout.INSTAGRAM, 11637205501278089L, "2011-09-09T22:28:04.721Z", 0, 1341, 905);
  }

  @Test
  void readsLeafsAnswer() {
    IdLayout unix = IdLayout.LEAF.withEpoch(Instant.EPOCH);
    long id = unix.compose(1567733700834L, 0, 39, 3448);
    IdParts parts = unix.parse(id);
    assertThat(parts.instant().toEpochMilli()).isEqualTo(1567733700834L);
    assertThat(parts.worker()).isEqualTo(39);
    assertThat(parts.sequence()).isEqualTo(3448);
  }

  @Test
  void readsPgEdgesId() {
    reads(IdLayout.PGEDGE, 136169504773242881L, "2024-01-11T18:08:59.845Z", 0, 1, 0);
  }

  @Test
  void readsTheIdsOfClickHousesDocumentation() {
    reads(IdLayout.CLICKHOUSE, 7199081609652224001L, "2024-05-22T16:20:08.209Z", 0, 484, 1);
    assertThat(IdLayout.CLICKHOUSE.expiresAt()).isEqualTo("2039-09-07T15:47:35.552Z");
  }

  @Test
  void readsSonyflakesFieldsInTheirOrder() {
    assertThat(IdLayout.SONYFLAKE.compose(1, 0, 0, 0)).isEqualTo(1L << 24);
    assertThat(IdLayout.SONYFLAKE.compose(0, 0, 0, 1)).isEqualTo(1L << 16);
    assertThat(IdLayout.SONYFLAKE.compose(0, 0, 1, 0)).isEqualTo(1);
    assertThat(IdLayout.SONYFLAKE.parse(1L << 24).instant()).isEqualTo("2014-09-01T00:00:00.010Z");
    assertThat(IdLayout.SONYFLAKE_V2.parse(1L << 24).instant())
        .isEqualTo("2025-01-01T00:00:00.010Z");
  }

  @Test
  void readsSeatasAndHazelcastsFieldsInTheirOrder() {
    assertThat(IdLayout.SEATA.epoch().toEpochMilli()).isEqualTo(1588435200000L);
    assertThat(IdLayout.SEATA.compose(0, 0, 1, 0)).isEqualTo(1L << 53);
    assertThat(IdLayout.SEATA.compose(1, 0, 0, 0)).isEqualTo(1L << 12);
    assertThat(IdLayout.HAZELCAST.epoch().toEpochMilli()).isEqualTo(1514764800000L);
    assertThat(IdLayout.HAZELCAST.compose(1, 0, 0, 0)).isEqualTo(1L << 22);
    assertThat(IdLayout.HAZELCAST.compose(0, 0, 0, 1)).isEqualTo(1L << 16);
  }

  @Test
  void placesTwittersFieldsUnderItsMasks() {
    assertThat(IdLayout.TWITTER.compose(0, 0, 0x1F, 0)).isEqualTo(0x1F000);
    assertThat(IdLayout.TWITTER.compose(0, 0x1F, 0, 0)).isEqualTo(0x3E0000);
    assertThat(IdLayout.TWITTER.compose((1L << 41) - 1, 0, 0, 0))
        .isEqualTo(0xFFFFFFFFFFC00000L & Long.MAX_VALUE);
    assertThat(IdLayout.TWITTER.epoch().toEpochMilli()).isEqualTo(1288834974657L);
  }

  @Test
  void namesTheInstantOfShardingSpheresEpoch() {
    assertThat(IdLayout.SHARDINGSPHERE.epoch().toEpochMilli()).isEqualTo(1477958400000L);
  }

  @Test
  void knowsWhenEachFamilyEnds() {
    assertThat(IdLayout.TWITTER.expiresAt()).isEqualTo("2080-07-10T17:30:30.209Z");
    assertThat(IdLayout.LEAF.expiresAt()).isEqualTo("2080-07-10T17:30:30.209Z");
    assertThat(IdLayout.SHARDINGSPHERE.expiresAt()).isEqualTo("2086-07-08T15:47:35.552Z");
    assertThat(IdLayout.DISCORD.expiresAt()).isEqualTo("2154-05-15T07:35:11.104Z");
    assertThat(IdLayout.SONYFLAKE.expiresAt()).isEqualTo("2188-11-16T03:28:58.880Z");
    assertThat(IdLayout.BAIDU.expiresAt()).isEqualTo("2024-11-20T13:24:16Z");
  }

  @Test
  void knowsWhenTheSignOfAnUnsignedFamilyFlips() {
    assertThat(IdLayout.INSTAGRAM.positiveUntil()).isEqualTo("2046-06-27T17:00:49.497Z");
    assertThat(IdLayout.INSTAGRAM.parse(Long.MIN_VALUE).instant())
        .isEqualTo("2046-06-27T17:00:49.497Z");
    assertThat(IdLayout.INSTAGRAM.parse(Long.MAX_VALUE).instant())
        .isEqualTo("2046-06-27T17:00:49.496Z");
    assertThat(IdLayout.TWITTER.positiveUntil()).isEqualTo(IdLayout.TWITTER.expiresAt());
  }
}
