package io.firn.server.http;

import io.firn.server.Client;
import io.firn.server.Namespaces;
import io.firn.server.OpenNamespace;
import java.util.function.Consumer;

/** Issues IDs for an exchange: at once where a loop may do so, and else as soon as can be. */
final class Issuing {

  private final Namespaces namespaces;

  Issuing(Namespaces namespaces) {
    this.namespaces = namespaces;
  }

  /** Has the IDs answered, or why there are none. */
  void issue(
      HttpExchange exchange, Client client, String name, int count, Consumer<long[]> answer) {
    client.require(name, count);
    OpenNamespace namespace = namespaces.opened(name);
    long[] ids = new long[count];
    if (namespace != null && namespace.tryNextIds(ids, 0, count)) {
      answer.accept(ids);
    } else {
      exchange.whenDone(namespaces.nextIds(name, count), answer);
    }
  }
}
