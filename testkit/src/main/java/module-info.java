/** What tests of IDs need. */
module io.firn.testkit {
  requires transitive io.firn.core;
  requires static org.jspecify;

  exports io.firn.testkit;
}
