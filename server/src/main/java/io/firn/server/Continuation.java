package io.firn.server;

import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** The continuation of a request whose answer has to wait. */
@FunctionalInterface
public interface Continuation {

  /**
   * Goes on with IDs on the connection's event loop once they are issued. A failure becomes the
   * answer. If the client leaves before, the future is canceled.
   */
  void whenIssued(CompletableFuture<long[]> ids, Consumer<long[]> next);
}
