package io.firn.server.thrift;

import io.firn.server.Connection;
import io.firn.server.Protocol;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.ProtocolKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;
import java.util.Optional;
import java.util.regex.Pattern;

/** Twitter's Snowflake service over Thrift. */
public final class ThriftProtocol implements Protocol {

  /** A call of get_id, and a frame so long that the server closes the connection. */
  private static final String PROBE =
      "\0\0\0\36\u0080\1\0\1\0\0\0\6get_id\0\0\0\1\13\0\1\0\0\0\4firn\0\177\177\177\177";

  private static final Pattern PROBE_ANSWER =
      Pattern.compile(".{8}\0\0\0\6get_id.{4}\n\0\0.{8}\0.*", Pattern.DOTALL);

  private final Service service;
  private final SnowflakeCalls calls;

  /** Serves one namespace of a server, the one that its configuration names. */
  public ThriftProtocol(Service service) {
    this.service = service;
    calls = new SnowflakeCalls(service);
  }

  @Override
  public String name() {
    return ProtocolKind.THRIFT.label();
  }

  @Override
  public void open(ChannelPipeline pipeline, Connection connection) {
    pipeline.addLast(new ThriftHandler(calls, connection, service.config().limits()));
  }

  @Override
  public ByteBuf rejection(RequestException refusal) {
    ByteBuf out = Unpooled.buffer();
    ThriftMessage.UNREAD.writeException(
        out,
        new ThriftException(
            ThriftException.Kind.INTERNAL_ERROR, String.valueOf(refusal.getMessage())));
    return out;
  }

  @Override
  public Probe probe(String namespace, Optional<String> token) {
    return new Probe(PROBE, PROBE_ANSWER);
  }
}
