/** Tools for tests of IDs and of register stores. */
module io.firn.testkit {
  requires transitive io.firn.core;
  requires transitive java.logging;
  requires static org.jspecify;
  requires static org.junit.jupiter.api;

  exports io.firn.testkit;
}
