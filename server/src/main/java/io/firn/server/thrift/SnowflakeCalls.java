package io.firn.server.thrift;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.lease.LeaseStatus;
import io.firn.server.Caller;
import io.firn.server.NamespaceStatus;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.SnowflakeStatus;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.ToLongBiFunction;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The four calls of Twitter's service, for one namespace. Thread-safe. */
final class SnowflakeCalls {

  private static final Pattern USER_AGENT = Pattern.compile("[a-zA-Z][a-zA-Z\\-0-9]*");
  private static final int USER_AGENT_FIELD = 1;

  private final Service service;
  private final String name;

  /** The receiver of the answer to a call. */
  interface Answer {

    /** Sends it. */
    void send(long value);

    /** Goes on when a result is there, unless the client has left; a failure is sent. */
    <T> void whenDone(CompletableFuture<T> result, Consumer<T> next);
  }

  SnowflakeCalls(Service service) {
    this.service = service;
    name = service.config().thriftNamespace();
  }

  /**
   * Makes a call.
   *
   * @param arguments what follows the message's head
   * @param answer is given the answer, now or later
   * @throws ThriftException if there is no such call, or its arguments are wrong
   * @throws RequestException if it is not granted
   */
  void call(ThriftMessage message, ByteBuf arguments, Answer answer) throws ThriftException {
    if (message.type() != ThriftMessage.CALL && message.type() != ThriftMessage.ONEWAY) {
      throw new ThriftException(
          ThriftException.Kind.INVALID_MESSAGE_TYPE,
          "type: " + message.type() + " (expected: 1, a call, or 4, one without an answer)");
    }
    String userAgent = ThriftMessage.readText(arguments, USER_AGENT_FIELD);
    switch (message.method()) {
      case "get_id" -> id(userAgent, answer);
      case "get_worker_id" -> worker(SnowflakeCalls::worker, answer);
      case "get_datacenter_id" -> worker(SnowflakeCalls::datacenter, answer);
      case "get_timestamp" -> answer.send(service.time().currentTimeMillis());
      default ->
          throw new ThriftException(
              ThriftException.Kind.UNKNOWN_METHOD,
              "method: "
                  + message.method()
                  + " (expected: get_id, get_worker_id, get_datacenter_id or get_timestamp)");
    }
  }

  private void id(@Nullable String userAgent, Answer answer) throws ThriftException {
    if (userAgent == null || !USER_AGENT.matcher(userAgent).matches()) {
      throw new ThriftException(
          ThriftException.Kind.INTERNAL_ERROR,
          "useragent: "
              + (userAgent == null ? "none" : userAgent)
              + " (expected: a letter, then letters, digits and -)");
    }
    Caller anonymous = service.callers().anonymous().orElseThrow(); // Thrift excludes tokens
    service
        .namespaces()
        .issue(anonymous, name, new long[1], 1, answer::whenDone, ids -> answer.send(ids[0]));
  }

  private void worker(ToLongBiFunction<IdLayout, LeaseStatus> part, Answer answer) {
    answer.whenDone(
        service.namespaces().open(name).thenApply(namespace -> part(namespace.status(), part)),
        answer::send);
  }

  private static long part(NamespaceStatus status, ToLongBiFunction<IdLayout, LeaseStatus> part) {
    if (status instanceof SnowflakeStatus open) {
      return part.applyAsLong(open.layout(), open.lease());
    }
    throw new RequestException(
        RequestException.Kind.NOT_FOUND,
        "type: segment (expected: snowflake, because numbers of segments have no worker ID)");
  }

  private static long worker(IdLayout layout, LeaseStatus lease) {
    return lease.worker() & ((1L << layout.bits(Kind.WORKER)) - 1);
  }

  private static long datacenter(IdLayout layout, LeaseStatus lease) {
    return lease.worker() >>> layout.bits(Kind.WORKER);
  }
}
