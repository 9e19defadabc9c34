package io.firn.store;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;

/** Says in words why a text file was not read: some exceptions have no message but the path. */
public final class ReadFailure {

  private ReadFailure() {}

  /** Returns the reason, without the path. */
  public static String reason(IOException failure) {
    if (failure instanceof NoSuchFileException) {
      return "none is there";
    }
    if (failure instanceof AccessDeniedException) {
      return "this process may not read it";
    }
    if (failure instanceof CharacterCodingException) {
      return "it is no text in UTF-8";
    }
    return String.valueOf(failure.getMessage());
  }
}
