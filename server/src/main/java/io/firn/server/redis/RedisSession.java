package io.firn.server.redis;

import io.firn.server.Caller;
import io.firn.server.OpenNamespace;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** What one connection has told about itself, and the namespace that it asked for last. */
final class RedisSession {

  private static final int MAX_WRONG_TOKENS = 10;

  private final long id;
  private @Nullable Caller caller;
  private String name = "";
  private boolean over;
  private int wrongTokens;
  private @Nullable CompletableFuture<Reply> later;
  private ByteBuf lastKey = Unpooled.EMPTY_BUFFER;
  private @Nullable OpenNamespace lastNamespace;

  RedisSession(long id, @Nullable Caller caller) {
    this.id = id;
    this.caller = caller;
  }

  long id() {
    return id;
  }

  /** Who asks; null until it has said so, where tokens are asked for. */
  @Nullable Caller caller() {
    return caller;
  }

  void caller(Caller authenticated) {
    caller = authenticated;
    lastNamespace = null;
  }

  /** Counts a wrong token; the last of a few ends the connection. */
  void wrongToken() {
    if (++wrongTokens == MAX_WRONG_TOKENS) {
      end();
    }
  }

  String name() {
    return name;
  }

  void name(String given) {
    name = given;
  }

  /** Has the next command wait for an answer that is not there yet. */
  void later(CompletableFuture<Reply> reply) {
    later = reply;
  }

  /** The answer that the command before has left to come, if it has. */
  @Nullable CompletableFuture<Reply> takeLater() {
    CompletableFuture<Reply> taken = later;
    later = null;
    return taken;
  }

  /** Whether the client has taken its leave. */
  boolean isOver() {
    return over;
  }

  void end() {
    over = true;
  }

  /** The namespace that an argument names, if that is the last one, which the client may use. */
  @Nullable OpenNamespace last(RespDecoder command, int argument) {
    OpenNamespace last = lastNamespace;
    return last != null && command.is(argument, lastKey) && !last.isClosed() ? last : null;
  }

  void last(byte[] key, @Nullable OpenNamespace namespace) {
    lastKey = Unpooled.wrappedBuffer(key);
    lastNamespace = namespace;
  }
}
