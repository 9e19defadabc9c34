/** What tests of IDs need. */
module io.firn.testkit {
  requires transitive io.firn.core;
  requires static org.jspecify;
  requires static org.junit.jupiter.api;

  exports io.firn.testkit;
}
