package io.firn;

/** Thrown when an ID is requested from a generator that is closed. */
public final class GeneratorClosedException extends FirnException {

  private static final long serialVersionUID = 1L;

  /** Creates the exception. */
  public GeneratorClosedException() {
    super("The generator is closed and issues no more IDs; close it after its last caller");
  }
}
