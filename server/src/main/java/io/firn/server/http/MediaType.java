package io.firn.server.http;

/** The types of what is answered. */
final class MediaType {

  static final String TEXT = "text/plain";
  static final String JSON = "application/json";

  private MediaType() {}
}
