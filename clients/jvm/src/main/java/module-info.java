/** An ID generator over Firn servers. */
module io.firn.client {
  requires transitive io.firn.core;
  requires transitive java.net.http;
  requires static org.jspecify;

  exports io.firn.client;
}
