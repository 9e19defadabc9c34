package io.firn.server.http;

/** Answers the requests for a path. */
@FunctionalInterface
interface Route {

  /**
   * Answers, now or later, by one of the methods of the exchange. Called on the connection's event
   * loop, so it must not wait.
   *
   * @throws io.firn.server.RequestException to have the problem answered
   */
  void answer(HttpExchange exchange);
}
