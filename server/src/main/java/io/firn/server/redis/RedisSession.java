package io.firn.server.redis;

import io.firn.server.Caller;
import io.firn.server.Connection;
import io.firn.server.Continuation;
import io.firn.server.OpenNamespace;
import io.firn.server.RequestException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The facts that one connection has reported about itself, and the namespace that it last used. */
final class RedisSession implements Continuation {

  private static final int MAX_WRONG_TOKENS = 10;

  private final long id;
  private final Connection connection;
  private volatile @Nullable Caller caller;
  private volatile String name = "";
  private volatile String library = "";
  private volatile String libraryVersion = "";
  private volatile int version = 2;
  private boolean over;
  private @Nullable Transaction transaction;
  private @Nullable Transaction executing;
  private int wrongTokens;
  private @Nullable Later<?> later;
  private ByteBuf lastKey = Unpooled.EMPTY_BUFFER;
  private @Nullable OpenNamespace lastNamespace;

  /**
   * The result that a command waits for, and its next step.
   *
   * @param result the result
   * @param next answers with it
   */
  record Later<T>(CompletableFuture<T> result, Consumer<T> next) {}

  RedisSession(long id, Connection connection, @Nullable Caller caller) {
    this.id = id;
    this.connection = connection;
    this.caller = caller;
  }

  long id() {
    return id;
  }

  /** Returns the address of the client. */
  InetAddress client() {
    return connection.address();
  }

  /** Returns the caller; null until the client presents a token, if the server requires tokens. */
  @Nullable Caller caller() {
    return caller;
  }

  /**
   * Sets the caller.
   *
   * @throws RequestException if that caller has as many connections as it may have
   */
  void caller(Caller authenticated) {
    connection.authenticate(authenticated);
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
    connection.clientName(given.isEmpty() ? library : given);
  }

  String library() {
    return library;
  }

  void library(String given) {
    library = given;
    if (name.isEmpty()) {
      connection.clientName(given);
    }
  }

  String libraryVersion() {
    return libraryVersion;
  }

  void libraryVersion(String given) {
    libraryVersion = given;
  }

  /** Returns the version of the protocol that the client agreed on. */
  int version() {
    return version;
  }

  void version(int agreed) {
    version = agreed;
  }

  /** Returns the connection. */
  Connection connection() {
    return connection;
  }

  /** Forgets all that the client has reported. */
  void reset(@Nullable Caller unauthenticated) {
    caller = unauthenticated;
    name("");
    version = 2;
    transaction = null;
    lastNamespace = null;
  }

  /** Returns what was begun by MULTI and is not ended. */
  @Nullable Transaction transaction() {
    return transaction;
  }

  void begin(Transaction begun) {
    transaction = begun;
  }

  @Nullable Transaction endTransaction() {
    Transaction ended = transaction;
    transaction = null;
    return ended;
  }

  /** Executes the commands of a transaction. */
  void execute(Transaction ended) {
    executing = ended;
  }

  /** Returns the transaction to execute now, if the command before was its EXEC. */
  @Nullable Transaction takeExecuting() {
    Transaction taken = executing;
    executing = null;
    return taken;
  }

  @Override
  public void whenIssued(CompletableFuture<long[]> ids, Consumer<long[]> next) {
    whenDone(ids, next);
  }

  /** Goes on as {@link #whenIssued} does, with any result. */
  <T> void whenDone(CompletableFuture<T> result, Consumer<T> next) {
    later = new Later<>(result, next);
  }

  /** Returns what the command before waits for, if it does. */
  @Nullable Later<?> takeLater() {
    Later<?> taken = later;
    later = null;
    return taken;
  }

  /** Returns whether the client has ended the session. */
  boolean isOver() {
    return over;
  }

  void end() {
    over = true;
  }

  /** Returns the namespace of an argument if it is the last one, which the client may use. */
  @Nullable OpenNamespace last(RespDecoder command, int argument) {
    OpenNamespace last = lastNamespace;
    return last != null && command.is(argument, lastKey) && !last.isClosed() ? last : null;
  }

  void last(byte[] key, @Nullable OpenNamespace namespace) {
    lastKey = Unpooled.wrappedBuffer(key);
    lastNamespace = namespace;
  }
}
