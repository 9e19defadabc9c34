package io.firn.server.redis;

/**
 * Thrown when what came is not the protocol, so that what follows cannot be told apart. No stack
 * trace.
 */
final class ProtocolError extends RuntimeException {

  private static final long serialVersionUID = 1L;

  ProtocolError(String message) {
    super("Protocol error: " + message, null, false, false);
  }
}
