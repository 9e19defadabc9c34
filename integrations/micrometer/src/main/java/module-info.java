/** Meters of ID generators, for Micrometer. */
@SuppressWarnings({"requires-automatic", "requires-transitive-automatic"}) // Micrometer's name only
module io.firn.micrometer {
  requires transitive io.firn.core;
  requires transitive micrometer.core;
  requires static org.jspecify;

  exports io.firn.micrometer;
}
