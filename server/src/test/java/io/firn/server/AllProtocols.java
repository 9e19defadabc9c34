package io.firn.server;

import io.firn.server.config.Sources;
import io.firn.server.http.HttpProtocol;
import io.firn.server.redis.RedisProtocol;
import io.firn.server.thrift.ThriftProtocol;
import io.firn.time.TimeSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A server for the clients of every protocol, at free ports of loopback, with a store in memory.
 */
final class AllProtocols {

  /** A request for one ID, by protocol. */
  static final Map<String, String> REQUEST =
      Map.of(
          "http", "GET /v1/ids/default HTTP/1.1\r\nHost: localhost\r\n\r\n",
          "redis", "*2\r\n$4\r\nINCR\r\n$7\r\ndefault\r\n",
          "thrift", "\0\0\0\35\u0080\1\0\1\0\0\0\6get_id\0\0\0\1\13\0\1\0\0\0\3foo\0");

  private AllProtocols() {}

  /** Starts one. */
  static Server start(Map<String, String> flags) {
    Map<String, String> all = new HashMap<>(flags);
    REQUEST.keySet().forEach(protocol -> all.put("--listen-" + protocol, "127.0.0.1:0"));
    Server server =
        Server.start(
            Sources.of(all, Map.of(), "memory:").read(),
            TimeSource.system(),
            service ->
                List.of(
                    new HttpProtocol(service),
                    new RedisProtocol(service),
                    new ThriftProtocol(service)));
    server.openNamespaces().join();
    return server;
  }
}
