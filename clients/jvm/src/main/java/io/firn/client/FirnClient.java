package io.firn.client;

import static io.firn.internal.Require.inRange;
import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.GeneratorClosedException;
import io.firn.IdGenerator;
import io.firn.WaitInterruptedException;
import io.firn.internal.Lane;
import io.firn.internal.Lanes;
import io.firn.internal.Waiters;
import io.firn.time.TimeSource;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Issues the IDs of a namespace of Firn servers, fetched ahead. Thread-safe.
 *
 * <p>Two batches are kept in the buffer, each of one server; a call waits only when there is no ID
 * in the buffer. After a server fails, or does not answer in time, the client backs off from it and
 * asks the next one. Each client asks the servers in an order of its own.
 *
 * <p>The IDs of a batch grow. A batch of another server may begin below the end of the one before,
 * because another worker issued it. IDs are as old as their batch, which is dropped at the maximum
 * age. IDs that are dropped, or in the buffer when the client is closed, are issued to no one else.
 */
public final class FirnClient implements IdGenerator, AutoCloseable {

  /** The most IDs that a request fetches, unless the servers allow more. */
  public static final int MAX_BATCH = 10_000;

  private static final Lanes LANES = Lanes.ofThreads("firn-client");

  private final String namespace;
  private final Upstreams servers;
  private final BatchBuffer buffer;
  private final long maxWaitNanos;
  private final long maxAgeNanos;
  private final TimeSource time = TimeSource.system();
  private final Lane.Task refilling = LANES.of(this).task(this::refill);
  private final Waiters waiters = new Waiters();
  private final ReentrantLock lock = new ReentrantLock();
  private long lastCallNanos = time.nanoTime();
  private boolean closed;

  private FirnClient(Builder settings) {
    namespace = settings.namespace;
    servers = settings.upstreams(time);
    maxWaitNanos = settings.maxWait().toNanos();
    maxAgeNanos = settings.maxAge().toNanos();
    buffer = new BatchBuffer(settings.batch(), maxAgeNanos);
    refilling.runUnlessPlanned();
  }

  /**
   * Starts a client. A process has one for each namespace, which all its threads share.
   *
   * @param servers addresses such as {@code http://firn-1:7608}, at least one; one that is given
   *     twice is one server
   * @param namespace the namespace that IDs are drawn from
   * @throws IllegalArgumentException if an address is not one of HTTP
   */
  public static Builder builder(List<URI> servers, String namespace) {
    return new Builder(servers, namespace);
  }

  /**
   * Issues an ID from the buffer, and waits only if that is empty.
   *
   * @throws IdsUnavailableException if no server issued one in time, or each one refuses to
   * @throws GeneratorClosedException if this client is closed
   * @throws WaitInterruptedException if the thread is interrupted while it waits
   */
  @Override
  public long nextId() {
    long id = draw();
    return id != BatchBuffer.NONE ? id : await();
  }

  private long draw() {
    long now = time.nanoTime();
    long id;
    boolean lacking;
    lock.lock();
    try {
      if (closed) {
        throw new GeneratorClosedException();
      }
      lastCallNanos = now;
      id = buffer.take(now);
      lacking = buffer.isLacking(now);
    } finally {
      lock.unlock();
    }
    if (lacking) {
      refilling.runUnlessPlanned();
    }
    return id;
  }

  private long await() {
    long begin = time.nanoTime();
    long[] id = {BatchBuffer.NONE};
    boolean over =
        waiters.await(
            () -> {
              id[0] = draw();
              return id[0] != BatchBuffer.NONE || servers.isEachRefusing();
            },
            time,
            maxWaitNanos);
    if (id[0] != BatchBuffer.NONE) {
      return id[0];
    }
    long waited = time.nanoTime() - begin;
    if (!over && waited < maxWaitNanos) {
      throw WaitInterruptedException.of(
          TimeUnit.NANOSECONDS.toMillis(maxWaitNanos - waited), "an ID of " + namespace);
    }
    throw new IdsUnavailableException(
        namespace, TimeUnit.NANOSECONDS.toMillis(waited), servers.lastFailures());
  }

  /**
   * Fetches a batch if one lacks and a call waits or came within the maximum age.
   *
   * @return in how many nanoseconds to run again; negative if a call has to ask for it
   */
  private long refill() {
    if (!isWanted()) {
      return -1;
    }
    long backoff = servers.choose();
    if (backoff > 0) {
      return backoff;
    }
    Batch fetched = servers.fetch();
    lock.lock();
    try {
      if (fetched != null && !closed) {
        buffer.add(fetched);
      }
    } finally {
      lock.unlock();
    }
    waiters.wake();
    return 0;
  }

  private boolean isWanted() {
    long now = time.nanoTime();
    lock.lock();
    try {
      return !closed
          && buffer.isLacking(now)
          && (!waiters.isEmpty() || now - lastCallNanos <= maxAgeNanos);
    } finally {
      lock.unlock();
    }
  }

  /** Ends this client. IDs in the buffer are lost. Calls that wait fail. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      buffer.clear();
    } finally {
      lock.unlock();
    }
    waiters.wake();
  }

  @Override
  public String toString() {
    return "FirnClient[" + namespace + " of " + servers + "]";
  }

  /** Collects the settings of a {@link FirnClient}. Each can be set once. Not thread-safe. */
  public static final class Builder {

    private static final Duration LONGEST = Duration.ofHours(1);

    private final List<URI> addresses;
    private final String namespace;
    private @Nullable String token;
    private @Nullable Integer batch;
    private @Nullable Duration timeout;
    private @Nullable Duration maxWait;
    private @Nullable Duration maxAge;
    private @Nullable HttpClient httpClient;
    private boolean built;

    private Builder(List<URI> servers, String namespace) {
      addresses = Upstreams.checked(servers);
      if (namespace.isBlank()) {
        throw new IllegalArgumentException("namespace: blank (expected: a name)");
      }
      this.namespace = namespace;
    }

    /**
     * Sets the bearer token, where the servers ask for one.
     *
     * @throws IllegalArgumentException if it has other than visible ASCII characters, such as the
     *     end of a line of the file that it comes from; the token is not shown
     */
    public Builder token(String token) {
      if (!token.matches("[\\x21-\\x7e]+")) {
        throw new IllegalArgumentException("token: not shown (expected: visible ASCII characters)");
      }
      this.token = once("token", this.token, token);
      return this;
    }

    /**
     * Sets how many IDs a request fetches, 1..{@value FirnClient#MAX_BATCH}; 1,000 unless set. Two
     * batches last for as long as it takes to notice that a server hangs if each has as many IDs as
     * are drawn within the timeout.
     */
    public Builder batch(int ids) {
      batch = once("batch", batch, (int) inRange("batch", 1, MAX_BATCH, ids));
      return this;
    }

    /** Sets how long a server may take to answer, 1 ms..1 h; 1 s unless set. */
    public Builder timeout(Duration timeout) {
      this.timeout =
          once("timeout", this.timeout, inRange("timeout", Duration.ofMillis(1), LONGEST, timeout));
      return this;
    }

    /** Sets how long a call waits for an ID when the buffer is empty, 0..1 h; 5 s unless set. */
    public Builder maxWait(Duration maxWait) {
      this.maxWait =
          once("maxWait", this.maxWait, inRange("maxWait", Duration.ZERO, LONGEST, maxWait));
      return this;
    }

    /**
     * Sets the age at which IDs in the buffer are dropped, at least twice the timeout, at most 2 h;
     * 10 s unless set.
     */
    public Builder maxAge(Duration maxAge) {
      this.maxAge =
          once(
              "maxAge",
              this.maxAge,
              inRange("maxAge", Duration.ofMillis(2), LONGEST.multipliedBy(2), maxAge));
      return this;
    }

    /** Sets the client that sends the requests, for TLS and proxies of your own. */
    public Builder httpClient(HttpClient client) {
      httpClient = once("httpClient", httpClient, client);
      return this;
    }

    /**
     * Builds the client, and has its first batches fetched in the background.
     *
     * @throws IllegalArgumentException if a setting contradicts another
     */
    public FirnClient build() {
      built = buildOnce(built);
      if (maxAge().compareTo(timeout().multipliedBy(2)) < 0) {
        throw new IllegalArgumentException(
            "maxAge: " + maxAge() + " (expected: at least twice the timeout, " + timeout() + ")");
      }
      return new FirnClient(this);
    }

    private int batch() {
      return Objects.requireNonNullElse(batch, 1_000);
    }

    private Duration timeout() {
      return Objects.requireNonNullElse(timeout, Duration.ofSeconds(1));
    }

    private Duration maxWait() {
      return Objects.requireNonNullElse(maxWait, Duration.ofSeconds(5));
    }

    private Duration maxAge() {
      return Objects.requireNonNullElse(maxAge, Duration.ofSeconds(10));
    }

    private Upstreams upstreams(TimeSource time) {
      HttpClient http =
          httpClient != null
              ? httpClient
              : HttpClient.newBuilder()
                  .version(HttpClient.Version.HTTP_1_1)
                  .connectTimeout(timeout())
                  .build();
      return new Upstreams(addresses, namespace, token, batch(), timeout(), http, time);
    }
  }
}
