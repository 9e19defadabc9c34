package io.firn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.processor.api.ContextualFixedKeyProcessor;
import org.apache.kafka.streams.processor.api.ContextualProcessor;
import org.apache.kafka.streams.processor.api.FixedKeyRecord;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** IDs of sinks and streams, with a real broker and real workers of Kafka Connect. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class SinkIdsTest {

  private static final int PARTITIONS = 3;
  private static final int RECORDS = 900;

  @TempDir static Path directory;
  private static KafkaBroker broker;
  private static RegisterStore store;

  @BeforeAll
  static void start() throws Exception {
    broker = KafkaBroker.start(directory);
    store = FileRegisterStore.open(directory.resolve("ids"));
  }

  @AfterAll
  static void stop() {
    broker.close();
    store.close();
  }

  private static Map<String, String> sink(String topic, int tasks) {
    Map<String, String> settings = new HashMap<>();
    settings.put("name", topic);
    settings.put("connector.class", Deliveries.Sink.class.getName());
    settings.put("topics", topic);
    settings.put("tasks.max", Integer.toString(tasks));
    settings.put("consumer.override.auto.offset.reset", "earliest");
    settings.put("transforms", "id");
    settings.put("transforms.id.type", FirnIds.class.getName());
    settings.put("transforms.id.store", "file:" + directory.resolve("ids"));
    settings.put("transforms.id.namespace", "orders");
    settings.put("transforms.id.field", "id");
    settings.put("transforms.id.block.size", "100"); // three pages a partition
    settings.put("transforms.id.admin.bootstrap.servers", broker.address());
    return settings;
  }

  private static List<Deliveries.Delivery> deliveries(String topic) {
    return Deliveries.all().stream().filter(one -> one.topic().equals(topic)).toList();
  }

  private static Set<Long> ids(List<Deliveries.Delivery> deliveries) {
    Set<Long> ids = new HashSet<>();
    deliveries.forEach(one -> ids.add(one.id()));
    return ids;
  }

  private static void await(String what, BooleanSupplier done) {
    long begin = System.nanoTime();
    while (!done.getAsBoolean()) {
      assertThat(System.nanoTime() - begin).as(what).isLessThan(Duration.ofMinutes(3).toNanos());
      TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  private static void awaitRows(String topic, int rows) {
    await(
        rows + " rows of " + topic, () -> Deliveries.idsByPlace(deliveries(topic)).size() >= rows);
  }

  /** As many again, each at least once. */
  private static void awaitAgain(String topic, int before) {
    await(
        "all rows of " + topic + " again",
        () -> {
          List<Deliveries.Delivery> all = deliveries(topic);
          return Deliveries.idsByPlace(all.subList(before, all.size())).size() == RECORDS;
        });
  }

  private static void forgetOffsets(String connector) throws Exception {
    broker
        .admin()
        .deleteConsumerGroups(List.of("connect-" + connector))
        .all()
        .get(2, TimeUnit.MINUTES);
  }

  @Test
  void aRecordHasOneIdInEveryDelivery() throws Exception {
    broker.create("orders", PARTITIONS);
    broker.send("orders", PARTITIONS, RECORDS);
    Set<Long> issued = new HashSet<>();
    try (Snowflake generator =
        Snowflake.builder().lease(LeaseConfig.builder(store, "orders").build()).build()) {
      try (ConnectWorker worker = ConnectWorker.start(broker, directory)) {
        // A task that fails between two commits: what it was given comes again.
        Deliveries.UNTIL_FAILURE.set(RECORDS / 2);
        worker.put("orders", sink("orders", 1));
        await("the planned failure", () -> worker.hasFailed("orders"));
        for (int i = 0; i < 10_000; i++) {
          issued.add(generator.nextId());
        }
        worker.restart("orders");
        awaitRows("orders", RECORDS);
        // Other tasks have the partitions, and more come.
        worker.put("orders", sink("orders", PARTITIONS));
        broker.send("orders", PARTITIONS, RECORDS);
        awaitRows("orders", 2 * RECORDS);
        worker.delete("orders");
      }
      assertThat(deliveries("orders")).hasSizeGreaterThan(2 * RECORDS);
      // Another worker begins again with the first record.
      forgetOffsets("orders");
      int before = deliveries("orders").size();
      try (ConnectWorker worker = ConnectWorker.start(broker, directory)) {
        worker.put("orders", sink("orders", 2));
        await("all again", () -> deliveries("orders").size() >= before + 2 * RECORDS);
        worker.delete("orders");
      }
      Deliveries.areSound(deliveries("orders"));
      assertThat(Deliveries.idsByPlace(deliveries("orders"))).hasSize(2 * RECORDS);
      assertThat(ids(deliveries("orders"))).doesNotContainAnyElementsOf(issued);
    }
    assertThat(issued).hasSize(10_000);
  }

  @Test
  void aRecordHasOneIdWhenTheWorkersOfAClusterChange() throws Exception {
    broker.create("clustered", PARTITIONS);
    broker.send("clustered", PARTITIONS, RECORDS);
    try (ConnectWorker first = ConnectWorker.join(broker)) {
      first.put("clustered", sink("clustered", PARTITIONS));
      awaitRows("clustered", RECORDS);
      ConnectWorker second = ConnectWorker.join(broker);
      await("two workers", () -> first.workersOf("clustered").size() == 2);
      broker.send("clustered", PARTITIONS, RECORDS);
      awaitRows("clustered", 2 * RECORDS);
      second.close();
      broker.send("clustered", PARTITIONS, RECORDS);
      awaitRows("clustered", 3 * RECORDS);
    }
    assertThat(deliveries("clustered")).hasSizeGreaterThanOrEqualTo(3 * RECORDS);
    Deliveries.areSound(deliveries("clustered"));
  }

  @Test
  void aTopicThatIsCreatedAgainHasOtherIds() throws Exception {
    broker.create("again", PARTITIONS);
    broker.send("again", PARTITIONS, RECORDS);
    try (ConnectWorker worker = ConnectWorker.start(broker, directory)) {
      worker.put("again", sink("again", 1));
      awaitRows("again", RECORDS);
      worker.delete("again");
      List<Deliveries.Delivery> first = deliveries("again");
      broker.delete("again");
      await("no consumers", () -> isForgotten("again"));
      broker.create("again", PARTITIONS);
      broker.send("again", PARTITIONS, RECORDS);
      worker.put("again", sink("again", 1));
      awaitAgain("again", first.size());
      List<Deliveries.Delivery> all = deliveries("again");
      List<Deliveries.Delivery> second = all.subList(first.size(), all.size());
      Deliveries.areSound(second);
      assertThat(ids(second)).hasSize(RECORDS).doesNotContainAnyElementsOf(ids(first));
      worker.delete("again");
    }
  }

  private static boolean isForgotten(String connector) {
    try {
      forgetOffsets(connector);
      return true;
    } catch (Exception e) { // not empty yet
      return false;
    }
  }

  @Test
  void streamsGiveARecordTheSameId() throws Exception {
    broker.create("streamed", PARTITIONS);
    broker.send("streamed", PARTITIONS, RECORDS);
    runStream("first");
    int before = deliveries("streamed").size();
    assertThat(before).isEqualTo(RECORDS);
    runStream("second");
    try (ConnectWorker worker = ConnectWorker.start(broker, directory)) {
      worker.put("streamed", sink("streamed", 2));
      awaitAgain("streamed", 2 * RECORDS);
      worker.delete("streamed");
    }
    assertThat(deliveries("streamed")).hasSize(3 * RECORDS);
    Deliveries.areSound(deliveries("streamed"));
  }

  private static void runStream(String application) {
    int before = deliveries("streamed").size();
    Properties settings = new Properties();
    settings.put(StreamsConfig.APPLICATION_ID_CONFIG, application);
    settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, broker.address());
    settings.put(StreamsConfig.STATE_DIR_CONFIG, directory.resolve(application).toString());
    settings.put(StreamsConfig.NUM_STREAM_THREADS_CONFIG, 2);
    settings.put("auto.offset.reset", "earliest");
    // A stream leaves its group without a word, and its other thread may wait until the group
    // notices.
    settings.put("session.timeout.ms", 6_000);
    try (OffsetIds ids =
        OffsetIds.builder(store, "orders")
            .blockSize(100)
            .topicIds(Map.of("bootstrap.servers", broker.address()))
            .build()) {
      StreamsBuilder builder = new StreamsBuilder();
      builder.stream("streamed", Consumed.with(Serdes.String(), Serdes.String()))
          .processValues(() -> new Stamp(ids))
          .process(Keep::new);
      try (KafkaStreams streams = new KafkaStreams(builder.build(), settings)) {
        streams.start();
        awaitAgain("streamed", before);
      }
    }
  }

  /** Keeps what arrives. */
  private static final class Keep extends ContextualProcessor<String, String, String, String> {
    @Override
    public void process(Record<String, String> record) {
      RecordMetadata place = context().recordMetadata().orElseThrow();
      long id = Long.parseLong(record.value().split(" ", 2)[0]);
      Deliveries.add(place.topic(), place.partition(), place.offset(), id);
    }
  }

  // begin streams
  static final class Stamp extends ContextualFixedKeyProcessor<String, String, String> {
    private final OffsetIds ids;

    Stamp(OffsetIds ids) {
      this.ids = ids;
    }

    @Override
    public void process(FixedKeyRecord<String, String> record) {
      RecordMetadata place = context().recordMetadata().orElseThrow();
      long id = ids.idOf(place.topic(), place.partition(), place.offset());
      context().forward(record.withValue(id + " " + record.value()));
    }
  }
  // end
}
