package io.firn.server.thrift;

/** The answer to a call that fails: Thrift's {@code TApplicationException}. */
final class ThriftException extends Exception {

  private static final long serialVersionUID = 1L;

  /** The reason, with its number in Thrift. */
  enum Kind {
    UNKNOWN_METHOD(1),
    INVALID_MESSAGE_TYPE(2),
    INTERNAL_ERROR(6),
    PROTOCOL_ERROR(7);

    final int code;

    Kind(int code) {
      this.code = code;
    }
  }

  private final Kind kind;

  ThriftException(Kind kind, String message) {
    super(message, null, false, false);
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }
}
