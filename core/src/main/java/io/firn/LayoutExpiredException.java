package io.firn;

/** Thrown when the time field of a layout is used up: a further ID would wrap or turn negative. */
public final class LayoutExpiredException extends FirnException {

  private static final long serialVersionUID = 1L;

  LayoutExpiredException(String message) {
    super(message);
  }
}
