package io.firn.server;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** The traffic over one protocol. Thread-safe; a loop adds to it once for all that it answered. */
public final class Traffic {

  /** From what no network shows to what no client waits for. */
  private static final long[] BOUND_MICROS = {
    10,
    25,
    50,
    100,
    250,
    500,
    1_000,
    2_500,
    5_000,
    10_000,
    25_000,
    50_000,
    100_000,
    250_000,
    500_000,
    1_000_000,
    2_500_000,
    10_000_000
  };

  /** The reason why the server closed a connection that its client had left open. */
  public enum Closing {
    /** All clients together held too much, and this one was silent or its address held most. */
    MEMORY,
    /** A new client needed the room. */
    ROOM,
    /** A request or a TLS handshake took too long, or the client too long to present a token. */
    SLOW,
    /** The client did not read its answers. */
    UNREAD,
    /** The client asked for nothing. */
    IDLE,
    /** There was no room for the connection. */
    REJECTED
  }

  private final LongAdder connections = new LongAdder();
  private final Map<String, Long> clients = new ConcurrentHashMap<>();
  private final LongAdder accepted = new LongAdder();
  private final LongAdder refusals = new LongAdder();
  private final Map<RequestException.Kind, LongAdder> reasons =
      new EnumMap<>(RequestException.Kind.class);
  private final Map<Closing, LongAdder> closings = new EnumMap<>(Closing.class);
  private final LongAdder[] requests = new LongAdder[BOUND_MICROS.length + 1];
  private final LongAdder nanos = new LongAdder();

  Traffic() {
    for (RequestException.Kind reason : RequestException.Kind.values()) {
      reasons.put(reason, new LongAdder());
    }
    for (Closing reason : Closing.values()) {
      closings.put(reason, new LongAdder());
    }
    for (int i = 0; i < requests.length; i++) {
      requests[i] = new LongAdder();
    }
  }

  /**
   * Requests by the time that their answers took.
   *
   * @param boundMicros the upper bounds of all buckets but the last, which has none
   * @param counts how many requests there were in each bucket
   * @param sumNanos the time that all of them took
   */
  public record Times(List<Long> boundMicros, List<Long> counts, long sumNanos) {}

  void opened() {
    connections.increment();
    accepted.increment();
  }

  void closed() {
    connections.decrement();
  }

  void closes(Closing reason) {
    Objects.requireNonNull(closings.get(reason)).increment();
  }

  /** Returns connections that the server closed for a reason since the start. */
  public long closings(Closing reason) {
    return Objects.requireNonNull(closings.get(reason)).sum();
  }

  /** Reports that a client calls itself something else; empty for nothing. */
  void renamed(String before, String now) {
    if (!before.isEmpty()) {
      clients.computeIfPresent(before, (name, count) -> count > 1 ? count - 1 : null);
    }
    if (!now.isEmpty()) {
      clients.merge(now, 1L, Long::sum);
    }
  }

  /** Returns the open connections by what their clients call themselves. */
  public Map<String, Long> clients() {
    return new TreeMap<>(clients);
  }

  void answered(int count, int refused, long eachNanos) {
    int bucket = 0;
    while (bucket < BOUND_MICROS.length
        && eachNanos > TimeUnit.MICROSECONDS.toNanos(BOUND_MICROS[bucket])) {
      bucket++;
    }
    requests[bucket].add(count);
    if (refused > 0) {
      refusals.add(refused);
    }
    nanos.add(count * eachNanos);
  }

  void refused(RequestException.Kind reason) {
    Objects.requireNonNull(reasons.get(reason)).increment();
  }

  /** Counts a connection that is refused before it has a request. */
  void refusedConnection(RequestException.Kind reason) {
    refusals.increment();
    refused(reason);
  }

  /**
   * Returns how many requests and connections were refused for a reason, if the protocol reports
   * it.
   */
  public long refusals(RequestException.Kind reason) {
    return Objects.requireNonNull(reasons.get(reason)).sum();
  }

  /** Returns how many connections are open. */
  public long connections() {
    return connections.sum();
  }

  /** Returns how many connections were opened since the start. */
  public long accepted() {
    return accepted.sum();
  }

  /** Returns how many requests were answered, granted or not. */
  public long requests() {
    return Arrays.stream(requests).mapToLong(LongAdder::sum).sum();
  }

  /** Returns how many requests and connections were not granted, regardless of the reason. */
  public long refusals() {
    return refusals.sum();
  }

  /** Returns the requests by the time that their answers took. */
  public Times times() {
    List<Long> counts = Arrays.stream(requests).map(LongAdder::sum).toList();
    return new Times(Arrays.stream(BOUND_MICROS).boxed().toList(), counts, nanos.sum());
  }
}
