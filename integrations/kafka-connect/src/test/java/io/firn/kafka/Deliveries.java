package io.firn.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.connect.connector.Task;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTask;

/** The records that a sink received. */
final class Deliveries {

  private static final ConcurrentLinkedQueue<Delivery> ALL = new ConcurrentLinkedQueue<>();

  /** After so many records a task fails; never if it is negative. */
  static final AtomicInteger UNTIL_FAILURE = new AtomicInteger(-1);

  private Deliveries() {}

  /** A record by its place, with its ID. */
  record Delivery(String topic, int partition, long offset, long id) {
    private String place() {
      return topic + "/" + partition + "/" + offset;
    }
  }

  static List<Delivery> all() {
    return List.copyOf(ALL);
  }

  static void add(String topic, int partition, long offset, long id) {
    ALL.add(new Delivery(topic, partition, offset, id));
  }

  static Map<String, Set<Long>> idsByPlace(Collection<Delivery> deliveries) {
    return by(deliveries, Delivery::place, Delivery::id);
  }

  private static <K, V> Map<K, Set<V>> by(
      Collection<Delivery> deliveries, Function<Delivery, K> key, Function<Delivery, V> value) {
    return deliveries.stream()
        .collect(Collectors.groupingBy(key, Collectors.mapping(value, Collectors.toSet())));
  }

  /** Checks that no ID has two rows, and no row two IDs. */
  static void areSound(Collection<Delivery> deliveries) {
    assertThat(by(deliveries, Delivery::id, Delivery::place).values())
        .allMatch(rows -> rows.size() == 1, "IDs have one row");
    assertThat(idsByPlace(deliveries).values())
        .allMatch(ids -> ids.size() == 1, "rows have one ID");
  }

  /** A connector whose tasks keep what they are given in this process. */
  public static final class Sink extends SinkConnector {

    @Override
    public void start(Map<String, String> settings) {}

    @Override
    public Class<? extends Task> taskClass() {
      return KeepingTask.class;
    }

    @Override
    public List<Map<String, String>> taskConfigs(int most) {
      return IntStream.range(0, most).mapToObj(i -> Map.<String, String>of()).toList();
    }

    @Override
    public void stop() {}

    @Override
    public ConfigDef config() {
      return new ConfigDef();
    }

    @Override
    public String version() {
      return "1";
    }
  }

  /** Its task. */
  public static final class KeepingTask extends SinkTask {

    @Override
    public void start(Map<String, String> settings) {}

    @Override
    public void put(Collection<SinkRecord> records) {
      for (SinkRecord record : records) {
        Object id = ((Map<?, ?>) record.value()).get("id");
        add(
            record.originalTopic(),
            record.originalKafkaPartition(),
            record.originalKafkaOffset(),
            (Long) id);
        if (UNTIL_FAILURE.get() >= 0 && UNTIL_FAILURE.getAndDecrement() == 0) {
          throw new ConnectException("A planned failure");
        }
      }
    }

    @Override
    public void stop() {}

    @Override
    public String version() {
      return "1";
    }
  }
}
