package io.firn.server.redis;

/** An answer to be written. */
@FunctionalInterface
interface Reply {

  /** Writes all of it. */
  void write(RespWriter out);
}
