package io.firn.flink;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.block.PlacedIds.Place;
import io.firn.kafka.KafkaBroker;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Records of a real broker, read by Flink's own source of Kafka. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class KafkaSourceTest {

  private static final int PARTITIONS = 3;
  private static final int ROWS = 900;

  @TempDir static Path shared;
  private static KafkaBroker broker;

  @TempDir Path directory;

  @BeforeAll
  static void start() throws Exception {
    broker = KafkaBroker.start(shared);
  }

  @AfterAll
  static void stop() {
    broker.close();
  }

  private static void send(String topic) throws Exception {
    broker.create(topic, PARTITIONS);
    broker.send(topic, PARTITIONS, ROWS);
  }

  /** Reads a record as {@code partition:offset:value}. */
  private static final class Placed implements KafkaRecordDeserializationSchema<String> {

    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> record, Collector<String> out) {
      out.collect(
          record.partition() + ":" + record.offset() + ":" + new String(record.value(), UTF_8));
    }

    @Override
    public TypeInformation<String> getProducedType() {
      return Types.STRING;
    }
  }

  private static KafkaSource<String> records(String topic) {
    return KafkaSource.<String>builder()
        .setBootstrapServers(broker.address())
        .setTopics(topic)
        .setStartingOffsets(OffsetsInitializer.earliest())
        .setDeserializer(new Placed())
        .build();
  }

  private StampOptions options() {
    return StampOptions.stable("file:" + directory.resolve("ids"), "orders", "load").blockSize(100);
  }

  /** Stamps records by the place that each of them has. */
  private DataStream<String> byOffset(StreamExecutionEnvironment environment, String topic) {
    return environment
        .fromSource(records(topic), WatermarkStrategy.noWatermarks(), "orders")
        .map(record -> Seen.row(Seen.slowly(record, 0)))
        .rebalance()
        .map(
            StampFunction.of(
                options(),
                record -> new Place(topic, (int) part(record, 0), ""),
                record -> part(record, 1),
                Types.STRING,
                (record, id) -> id + " " + record));
  }

  private static long part(String record, int index) {
    return Long.parseLong(record.split(":", 3)[index]);
  }

  @Test
  void aRecordHasTheIdOfItsOffsetHoweverOftenItIsRead() throws Exception {
    send("killed");
    KilledJob job = new KilledJob(directory, ROWS, false);
    job.runAndKill(environment -> byOffset(environment, "killed"));
    Seen.noRowHasTwoIds(Seen.ALL);
    Set<String> kept = new HashSet<>(Seen.ALL);

    // Retention deletes the oldest records, so another run begins later.
    int deleted = ROWS / PARTITIONS / 2;
    RecordsToDelete first = RecordsToDelete.beforeOffset(deleted);
    broker.admin().deleteRecords(Map.of(new TopicPartition("killed", 0), first)).all().get();
    Seen.ALL.clear();
    job.runAnew(environment -> byOffset(environment, "killed"), ROWS - deleted);
    assertThat(Seen.ALL).hasSize(ROWS - deleted).isSubsetOf(kept);
  }

  /** Kafka's splits begin where they were read up to. */
  @Test
  void aPlaceWithTheStartingOffsetIsRefusedAfterARestore() throws Exception {
    send("moving");
    KilledJob job = new KilledJob(directory, ROWS, false);
    String failure =
        job.runAndRestore(
            environment ->
                environment.fromSource(
                    StampedSource.of(
                        records("moving"),
                        split ->
                            new Place(
                                split.getTopic(),
                                split.getPartition(),
                                "from=" + split.getStartingOffset()),
                        options(),
                        Types.STRING,
                        Seen::slowly),
                    WatermarkStrategy.noWatermarks(),
                    "orders"));
    assertThat(failure)
        .contains("The place of split moving-", "fingerprint=from=-2] when it was assigned and is")
        .contains("use StampFunction with a place of each row");
  }
}
