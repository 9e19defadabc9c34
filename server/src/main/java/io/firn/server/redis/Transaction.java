package io.firn.server.redis;

import io.firn.server.RequestException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** The commands between MULTI and EXEC. For one connection, on its event loop. */
final class Transaction {

  /** The most bytes of commands, in the longest requests. */
  private static final int MAX_REQUESTS = 16;

  private final ByteBuf queue = Unpooled.buffer();
  private final long mostBytes;
  private final int mostIds;
  private long ids;
  private int commands;
  private boolean spoiled;

  Transaction(int requestBytes, int mostIds) {
    mostBytes = (long) MAX_REQUESTS * requestBytes;
    this.mostIds = mostIds;
  }

  /**
   * Keeps a command.
   *
   * @param issued the number of IDs that it requests
   * @throws RequestException if the answer, or what is kept, would be too long
   */
  void add(RespDecoder command, int issued) {
    ids += issued;
    if (ids > mostIds) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          "commands: over "
              + mostIds
              + " IDs in a transaction (expected: at most "
              + mostIds
              + ", the limit limits.count; without MULTI there is none)");
    }
    command.writeTo(queue);
    commands++;
    if (queue.readableBytes() > mostBytes) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          "commands: over " + mostBytes + " bytes in a transaction (expected: at most that)");
    }
  }

  /** Marks the transaction as refused, because one of its commands was. */
  void spoil() {
    spoiled = true;
  }

  boolean isSpoiled() {
    return spoiled;
  }

  /** Returns how many commands are kept. */
  int commands() {
    return commands;
  }

  /** Returns the commands that are left to execute. */
  ByteBuf queue() {
    return queue;
  }
}
