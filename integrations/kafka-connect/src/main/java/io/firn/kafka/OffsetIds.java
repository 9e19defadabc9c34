package io.firn.kafka;

import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.block.IdBlocks;
import io.firn.block.PlacedIds;
import io.firn.block.PlacedIds.Place;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * IDs of records that are derived from topic, partition and offset. The same record has the same ID
 * in every process, after every restart, rebalance and re-delivery. Thread-safe.
 *
 * <h2>How it works</h2>
 *
 * The offsets of a partition are cut into pages of {@code blockSize}, and each page is a named
 * block: the job is the topic, the shape the size of a page. The ID of a record is the one at its
 * offset's place in the block. The store is asked once per page, and each process keeps the pages
 * it used last.
 *
 * <p>A topic that is deleted and created again begins with offset 0, and its records are not those
 * of before. So the job has the topic's identity in its name: its ID in the cluster, or a
 * generation that the operator changes. The ID is read again at the first record of each partition,
 * where the offset of a partition does not grow, and when it was read half a minute ago: a new
 * topic shows in one of these ways.
 */
public final class OffsetIds implements AutoCloseable {

  /** The size of a page unless set: a second of ID time of one worker in layout classic. */
  public static final long DEFAULT_BLOCK_SIZE = 1L << 22;

  private static final long MAX_AGE_NANOS = Duration.ofSeconds(30).toNanos();

  private final PlacedIds ids;
  private final TopicIdentity identity;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Known> topics = new HashMap<>();
  private final Map<Partition, Long> newest = new HashMap<>();

  private OffsetIds(Builder builder) {
    if ((builder.identity == null) == (builder.client == null)) {
      throw new IllegalArgumentException(
          "topic identity: "
              + (builder.identity == null ? "none" : "both")
              + " (expected: topicIds or generation, for a topic that is deleted and created again"
              + " begins with offset 0)");
    }
    time = Objects.requireNonNullElseGet(builder.time, TimeSource::system);
    ids =
        PlacedIds.of(
            IdBlocks.of(builder.store, builder.namespace),
            Objects.requireNonNullElse(builder.job, "kafka"),
            Objects.requireNonNullElse(builder.blockSize, DEFAULT_BLOCK_SIZE));
    identity =
        builder.client == null
            ? Objects.requireNonNull(builder.identity)
            : TopicIdentity.topicIds(builder.client.settings); // last, or a failure leaves it open
  }

  /** Settings of a client. Some are secrets, so only their names are shown. */
  private record Client(Map<String, Object> settings) {

    @Override
    public String toString() {
      return settings.keySet().toString();
    }
  }

  private record Partition(String topic, int number) {}

  /** The identity of a topic, and the time when it was read. */
  private record Known(String part, long readNanos) {}

  /**
   * Starts IDs of a namespace.
   *
   * @param store keeps the blocks; not one that may forget. It is not closed here.
   */
  public static Builder builder(RegisterStore store, String namespace) {
    return new Builder(store, namespace);
  }

  static String requireGeneration(String name, String generation) {
    return checked(name, 32, generation);
  }

  static String requireJob(String name, String job) {
    return checked(name, PlacedIds.MAX_JOB, job);
  }

  private static String checked(String name, int max, String text) {
    if (!text.matches("[A-Za-z0-9._-]{1," + max + "}")) {
      throw new IllegalArgumentException(
          name + ": " + text + " (expected: 1.." + max + " of A-Z, a-z, 0-9, '.', '_' and '-')");
    }
    return text;
  }

  /**
   * Returns the ID of a record. Asks the store at the first offset of a page. Asks the cluster at
   * the first record of a partition, where offsets do not grow, and after half a minute.
   *
   * @param topic the topic from which the record was read
   * @param partition its partition
   * @param offset its offset, 0..65,536 * block size - 1
   * @throws io.firn.block.BlockShapeException if the topic had another block size
   * @throws io.firn.lease.NoFreeWorkerException if no worker has enough ID time free
   * @throws io.firn.store.StoreException if the store cannot be asked
   * @throws org.apache.kafka.common.KafkaException if the cluster cannot be asked
   */
  public long idOf(String topic, int partition, long offset) {
    lock.lock();
    try {
      long id = ids.idOf(new Place(part(topic, partition, offset), partition, ""), offset);
      newest.put(new Partition(topic, partition), offset);
      return id;
    } finally {
      lock.unlock();
    }
  }

  private String part(String topic, int partition, long offset) {
    Long before = newest.get(new Partition(topic, partition));
    Known known = topics.get(topic);
    long now = time.nanoTime();
    if (known == null
        || before == null
        || offset <= before
        || now - known.readNanos >= MAX_AGE_NANOS) {
      known = new Known(topic + ":" + identity.of(topic), now);
      topics.put(topic, known);
    }
    return known.part;
  }

  /** Closes the connection to the cluster, if there is one; the store stays open. */
  @Override
  public void close() {
    identity.close();
  }

  /** Collects the settings. Each can be set once. Not thread-safe. */
  public static final class Builder {

    private final RegisterStore store;
    private final String namespace;
    private @Nullable TopicIdentity identity;
    private @Nullable Client client;
    private @Nullable TimeSource time;
    private @Nullable String job;
    private @Nullable Long blockSize;
    private boolean built;

    private Builder(RegisterStore store, String namespace) {
      this.store = Objects.requireNonNull(store);
      this.namespace = namespace;
    }

    /**
     * Identifies topics by their IDs in the cluster, so that a topic that is created again has new
     * IDs.
     *
     * @param admin the settings of a client, {@code bootstrap.servers} at least; it describes
     *     topics. Not together with {@link #generation}
     */
    public Builder topicIds(Map<String, Object> admin) {
      client = once("topicIds", client, new Client(new HashMap<>(admin)));
      return this;
    }

    Builder identity(TopicIdentity identity) {
      this.identity = once("generation", this.identity, identity);
      return this;
    }

    Builder timeSource(TimeSource time) {
      this.time = once("timeSource", this.time, time);
      return this;
    }

    /**
     * Identifies topics by their names alone. After you delete a topic and create it again, set
     * another generation, or the new records get the IDs of the old ones. Not together with {@link
     * #topicIds}.
     *
     * @param generation 1..32 of the characters A-Z, a-z, 0-9, '.', '_' and '-'
     */
    public Builder generation(String generation) {
      return identity(TopicIdentity.generation(requireGeneration("generation", generation)));
    }

    /**
     * Sets with what the names of jobs begin, {@code kafka} unless set. The same record has another
     * ID under another one.
     *
     * @param job 1..31 of the characters A-Z, a-z, 0-9, '.', '_' and '-'
     */
    public Builder job(String job) {
      this.job = once("job", this.job, requireJob("job", job));
      return this;
    }

    /**
     * Sets how many offsets share a block, {@link #DEFAULT_BLOCK_SIZE} unless set. It stays the
     * same as long as the topic is there; another one is refused.
     *
     * @param blockSize 1..{@link IdBlocks#MAX_SIZE}
     */
    public Builder blockSize(long blockSize) {
      if (blockSize < 1 || blockSize > IdBlocks.MAX_SIZE) {
        throw new IllegalArgumentException(
            "blockSize: " + blockSize + " (expected: 1.." + IdBlocks.MAX_SIZE + ")");
      }
      this.blockSize = once("blockSize", this.blockSize, blockSize);
      return this;
    }

    /**
     * Builds the IDs. Reads the layout of the namespace, then opens the connection to the cluster.
     *
     * @throws IllegalArgumentException if the identity of topics was not set or in two ways, or the
     *     store may forget and has no identity
     * @throws io.firn.store.StoreException if the store cannot be asked
     * @throws org.apache.kafka.common.KafkaException if the settings of the client are wrong
     */
    public OffsetIds build() {
      built = buildOnce(built);
      return new OffsetIds(this);
    }
  }
}
