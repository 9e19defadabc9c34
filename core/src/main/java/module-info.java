/** The core of Firn. */
module io.firn.core {
  requires static org.jspecify;

  exports io.firn;
  exports io.firn.time;
}
