/** IDs as strings in JSON, for Jackson 2 and 3. */
module io.firn.jackson {
  requires static org.jspecify;
  requires static transitive com.fasterxml.jackson.annotation;

  exports io.firn.jackson;
}
