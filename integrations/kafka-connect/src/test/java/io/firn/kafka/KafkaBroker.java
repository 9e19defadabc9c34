package io.firn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.FreePort;
import io.firn.time.TimeSource;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.common.utils.Time;

/** A broker with its controller, in this process. The tests of Flink use it, too. */
public final class KafkaBroker implements AutoCloseable {

  private final KafkaRaftServer server;
  private final String address;
  private final Admin admin;

  private KafkaBroker(KafkaRaftServer server, String address) {
    this.server = server;
    this.address = address;
    admin = Admin.create(Map.of("bootstrap.servers", address));
  }

  public static KafkaBroker start(Path directory) throws Exception {
    int port = FreePort.next();
    int controller = FreePort.next();
    Properties settings = new Properties();
    settings.putAll(
        Map.ofEntries(
            Map.entry("process.roles", "broker,controller"),
            Map.entry("node.id", "1"),
            Map.entry("controller.quorum.voters", "1@127.0.0.1:" + controller),
            Map.entry("controller.listener.names", "CONTROLLER"),
            Map.entry(
                "listeners",
                "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controller),
            Map.entry("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT"),
            Map.entry("broker.session.timeout.ms", "120000"), // a busy machine is no dead broker
            Map.entry("log.dirs", directory.resolve("log").toString()),
            Map.entry("offsets.topic.replication.factor", "1"),
            Map.entry("offsets.topic.num.partitions", "2"),
            Map.entry("transaction.state.log.replication.factor", "1"),
            Map.entry("transaction.state.log.min.isr", "1"),
            Map.entry("transaction.state.log.num.partitions", "2"),
            Map.entry("group.initial.rebalance.delay.ms", "0"),
            Map.entry("auto.create.topics.enable", "false")));
    Path file = directory.resolve("server.properties");
    try (OutputStream out = Files.newOutputStream(file)) {
      settings.store(out, null);
    }
    String[] format = {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()};
    PrintStream quiet =
        new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);
    assertThat(StorageTool.execute(format, quiet)).isZero();
    KafkaRaftServer server = new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM);
    server.startup();
    return new KafkaBroker(server, "127.0.0.1:" + port);
  }

  public String address() {
    return address;
  }

  public Admin admin() {
    return admin;
  }

  /**
   * Creates a topic, and waits until the broker leads each of its partitions. The admin client
   * repeats a request to a partition without a leader, but not one for a topic that the broker has
   * not yet heard of.
   */
  public void create(String topic, int partitions) throws Exception {
    admin
        .createTopics(List.of(new NewTopic(topic, partitions, (short) 1)))
        .all()
        .get(2, TimeUnit.MINUTES);
    Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
    for (int i = 0; i < partitions; i++) {
      ends.put(new TopicPartition(topic, i), OffsetSpec.latest());
    }
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (true) {
      try {
        admin.listOffsets(ends).all().get(2, TimeUnit.MINUTES);
        return;
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof UnknownTopicOrPartitionException)
            || System.nanoTime() > deadline) {
          throw e;
        }
        TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
      }
    }
  }

  /**
   * Deletes a topic, and waits until the broker has heard of it. One that hears of a deletion and
   * of a new topic with that name at once may leave a partition without a leader.
   */
  public void delete(String topic) throws Exception {
    admin.deleteTopics(List.of(topic)).all().get(2, TimeUnit.MINUTES);
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
    while (admin.listTopics().names().get(2, TimeUnit.MINUTES).contains(topic)) {
      assertThat(System.nanoTime()).as("the deletion of " + topic).isLessThan(deadline);
      TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
    }
  }

  /** Sends records, evenly over the partitions. */
  public void send(String topic, int partitions, int count) throws Exception {
    Map<String, Object> settings = Map.of("bootstrap.servers", address);
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      List<Future<RecordMetadata>> sent = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        sent.add(
            producer.send(
                new ProducerRecord<>(topic, i % partitions, "key" + i, "{\"number\":" + i + "}")));
      }
      producer.flush();
      for (Future<RecordMetadata> each : sent) {
        assertThat(each)
            .as(() -> description(topic))
            .succeedsWithin(Duration.ZERO)
            .matches(RecordMetadata::hasOffset);
      }
    }
  }

  /** Returns what the broker says of a topic. */
  private String description(String topic) {
    try {
      return admin.describeTopics(List.of(topic)).allTopicNames().get(10, TimeUnit.SECONDS)
          + ", "
          + admin.describeCluster().nodes().get(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      return topic + ": " + e;
    }
  }

  @Override
  public void close() {
    admin.close();
    server.shutdown();
    server.awaitShutdown();
  }
}
