package io.firn.server.redis;

import io.firn.server.Connection;
import io.firn.server.Protocol;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.ProtocolKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelPipeline;
import io.netty.util.concurrent.FastThreadLocal;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/** The Redis protocol, versions 2 and 3. */
public final class RedisProtocol implements Protocol {

  private static final Pattern PROBE_ANSWER = Pattern.compile("(\\+OK\r\n)?:[0-9]+\r\n\\+OK\r\n");

  private final Service service;
  private final RedisCommands commands;
  private final AtomicLong lastId = new AtomicLong();
  private final Map<Long, RedisSession> sessions = new ConcurrentHashMap<>();

  /** One for each event loop: it is used for a reply at a time. */
  private final FastThreadLocal<IdDigits> digits =
      new FastThreadLocal<>() {
        @Override
        protected IdDigits initialValue() {
          return new IdDigits();
        }
      };

  /** Serves the namespaces of a server. */
  public RedisProtocol(Service service) {
    this.service = service;
    commands = new RedisCommands(service, sessions);
  }

  @Override
  public String name() {
    return ProtocolKind.REDIS.label();
  }

  @Override
  public void open(ChannelPipeline pipeline, Connection connection) {
    RedisSession session =
        new RedisSession(
            lastId.incrementAndGet(), connection, service.callers().anonymous().orElse(null));
    sessions.put(session.id(), session);
    pipeline.channel().closeFuture().addListener(closed -> sessions.remove(session.id()));
    pipeline.addLast(
        new RedisHandler(commands, session, connection, writer(), service.config().limits()));
  }

  private RespWriter writer() {
    RespWriter writer = new RespWriter(digits.get());
    if (service.config().redisIds().equals("strings")) {
      writer.idsAsStrings();
    }
    return writer;
  }

  @Override
  public ByteBuf rejection(RequestException refusal) {
    return Unpooled.copiedBuffer(
        "-" + RedisCommands.text(refusal) + "\r\n", StandardCharsets.UTF_8);
  }

  @Override
  public Optional<String> command(Endpoint endpoint, String namespace) {
    return Optional.of(
        (service.callers().anonymous().isPresent() ? "" : "REDISCLI_AUTH=$TOKEN ")
            + (endpoint.tls() ? "redis-cli --tls -h " : "redis-cli -h ")
            + endpoint.host().replaceAll("[\\[\\]]", "") // redis-cli wants no brackets
            + " -p "
            + endpoint.port()
            + " INCR "
            + namespace);
  }

  @Override
  public Probe probe(String namespace, Optional<String> token) {
    String auth = token.map(text -> "AUTH " + text + "\r\n").orElse("");
    return new Probe(auth + "INCR " + namespace + "\r\nQUIT\r\n", PROBE_ANSWER);
  }
}
