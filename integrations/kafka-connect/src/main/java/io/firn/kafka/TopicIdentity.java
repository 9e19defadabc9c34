package io.firn.kafka;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Uuid;

/** Distinguishes a topic from a deleted one of the same name. */
interface TopicIdentity extends AutoCloseable {

  /**
   * Returns what a topic has in common with no other.
   *
   * @throws KafkaException if the cluster cannot be asked
   */
  String of(String topic);

  @Override
  void close();

  /** Returns the same text for every topic: the operator keeps account of what was deleted. */
  static TopicIdentity generation(String generation) {
    return new TopicIdentity() {
      @Override
      public String of(String topic) {
        return generation;
      }

      @Override
      public String toString() {
        return generation;
      }

      @Override
      public void close() {}
    };
  }

  /** Returns the topic IDs of a cluster. */
  static TopicIdentity topicIds(Map<String, Object> admin) {
    return new OfCluster(Admin.create(admin));
  }

  /** The IDs of topics, which a cluster never gives to another topic. */
  final class OfCluster implements TopicIdentity {

    private static final long TIMEOUT_SECONDS = 60;

    private final Admin admin;

    private OfCluster(Admin admin) {
      this.admin = admin;
    }

    @Override
    public String of(String topic) {
      KafkaFuture<TopicDescription> asked =
          Objects.requireNonNull(admin.describeTopics(List.of(topic)).topicNameValues().get(topic));
      try {
        TopicDescription found = asked.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        if (found.topicId().equals(Uuid.ZERO_UUID)) {
          throw new KafkaException(
              "The brokers have no ID for topic " + topic + "; set topic.generation instead");
        }
        return found.topicId().toString();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw failed(topic, e);
      } catch (ExecutionException | TimeoutException e) {
        throw failed(topic, e);
      }
    }

    private static KafkaException failed(String topic, Exception e) {
      return new KafkaException("The brokers did not report the ID of topic " + topic, e);
    }

    @Override
    public void close() {
      admin.close();
    }
  }
}
