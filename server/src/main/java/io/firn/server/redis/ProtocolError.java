package io.firn.server.redis;

/**
 * Thrown when the bytes are not the protocol, so that the rest cannot be parsed. No stack trace.
 */
final class ProtocolError extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ProtocolError(String message) {
    super("Protocol error: " + message, null, false, false);
  }
}
