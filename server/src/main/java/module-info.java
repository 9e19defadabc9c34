/** The server of Firn. */
module io.firn.server {
  requires io.firn.core;
  requires info.picocli;
  requires static org.jspecify;

  opens io.firn.cli to
      info.picocli;
}
