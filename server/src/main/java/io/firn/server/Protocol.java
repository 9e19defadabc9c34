package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import java.util.Optional;
import java.util.regex.Pattern;

/** A protocol that the server speaks. */
public interface Protocol {

  /** Returns the name, as written below {@code listen} in the configuration. */
  String name();

  /**
   * Returns whether an answer can announce to its client that the connection closes. Such clients
   * are served a while longer when the server stops, and lose no request.
   */
  default boolean announcesClose() {
    return false;
  }

  /** Adds the protocol's codec and {@link RequestHandler} to a new connection. */
  void open(ChannelPipeline pipeline, Connection connection);

  /** Returns whether probes are served beyond a limit of connections, by {@link #openReserved}. */
  default boolean hasReserved() {
    return false;
  }

  /**
   * Adds the same to a connection that is beyond a limit, which serves probes and monitoring.
   *
   * @param refusal the answer to other requests
   */
  default void openReserved(
      ChannelPipeline pipeline, Connection connection, RequestException refusal) {
    throw new UnsupportedOperationException(name());
  }

  /** Returns what a client is sent that is refused before its connection is closed. */
  ByteBuf rejection(RequestException refusal);

  /** Returns a command that gets an ID, for a person to try; empty if there is none at hand. */
  default Optional<String> command(Endpoint endpoint, String namespace) {
    return Optional.empty();
  }

  /** Returns the address of a page for browsers; empty if there is none. */
  default Optional<String> page(Endpoint endpoint) {
    return Optional.empty();
  }

  /**
   * The address at which clients reach the protocol.
   *
   * @param host the host, with brackets around an IPv6 address
   * @param port the port
   * @param tls whether connections use TLS
   */
  record Endpoint(String host, int port, boolean tls) {}

  /** Returns a request for an ID of a namespace, which a server asks itself to check itself. */
  Probe probe(String namespace, Optional<String> token);

  /**
   * A request after whose answer the server closes the connection.
   *
   * @param request the bytes of the request, one for each character
   * @param answer matches an answer that has an ID
   */
  record Probe(String request, Pattern answer) {}
}
