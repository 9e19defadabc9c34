package io.firn.server.redis;

import io.firn.server.Connection;
import io.firn.server.Face;
import io.firn.server.Service;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicLong;

/** The Redis protocol, versions 2 and 3. */
public final class RedisFace implements Face {

  private final Service service;
  private final RedisCommands commands;
  private final AtomicLong lastId = new AtomicLong();

  /** One for each event loop: it is used for a reply at a time. */
  private final FastThreadLocal<IdDigits> digits =
      new FastThreadLocal<>() {
        @Override
        protected IdDigits initialValue() {
          return new IdDigits();
        }
      };

  /** Serves the namespaces of a server. */
  public RedisFace(Service service) {
    this.service = service;
    commands = new RedisCommands(service);
  }

  @Override
  public String name() {
    return "redis";
  }

  @Override
  public void open(ChannelPipeline pipeline, Connection connection) {
    RedisSession session =
        new RedisSession(lastId.incrementAndGet(), service.access().everybody().orElse(null));
    pipeline.addLast(
        new RedisConversation(
            commands,
            session,
            connection,
            new RespWriter(digits.get()),
            service.config().limits()));
  }

  @Override
  public ByteBuf goodbye(String reason) {
    return Unpooled.copiedBuffer("-ERR " + reason + "\r\n", StandardCharsets.UTF_8);
  }
}
