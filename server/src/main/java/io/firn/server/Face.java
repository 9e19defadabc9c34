package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;

/** A protocol that the server speaks. */
public interface Face {

  /** Its name below {@code listen} in the configuration. */
  String name();

  /**
   * Adds what reads requests and writes answers to a new connection. The last handler tells the
   * {@link Connection} what it is at.
   */
  void open(ChannelPipeline pipeline, Connection connection);

  /** What a client is told that is not let in, before it is disconnected. */
  ByteBuf goodbye(String reason);
}
