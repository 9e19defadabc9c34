package io.firn.segment;

/** Thrown by a source that begins no counter by itself, and that has none for a key. */
public final class UnknownKeyException extends SegmentRefusedException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the operator. */
  public UnknownKeyException(String message) {
    super(message);
  }
}
