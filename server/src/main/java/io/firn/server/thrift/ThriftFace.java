package io.firn.server.thrift;

import io.firn.server.Connection;
import io.firn.server.Face;
import io.firn.server.Service;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;

/** Twitter's Snowflake service over Thrift. */
public final class ThriftFace implements Face {

  private final SnowflakeCalls calls;
  private final int mostBytes;

  /** Serves one namespace of a server, the one that its configuration names. */
  public ThriftFace(Service service) {
    calls = new SnowflakeCalls(service);
    mostBytes = service.config().limits().requestBytes();
  }

  @Override
  public String name() {
    return "thrift";
  }

  @Override
  public void open(ChannelPipeline pipeline, Connection connection) {
    pipeline.addLast(new ThriftConversation(calls, connection, mostBytes));
  }

  @Override
  public ByteBuf goodbye(String reason) {
    ByteBuf out = Unpooled.buffer();
    ThriftMessage.UNREAD.writeException(
        out, new ThriftException(ThriftException.Kind.INTERNAL_ERROR, reason));
    return out;
  }
}
