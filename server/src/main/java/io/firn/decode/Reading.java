package io.firn.decode;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One way to read a text as an ID. */
public sealed interface Reading permits NumberReading, WideReading {

  /** The ID in the form that its system writes: in decimal, as a UUID, as a ULID. */
  String id();

  /** Which system it may be of, in a word: {@code twitter}, {@code uuid7}. */
  String type();

  /** How the text was taken, in a word: {@code decimal}, {@code base62}, {@code uuid}. */
  String form();

  /** When the ID was made, if it says so. */
  Optional<Instant> instant();

  /** Whether its time, if it has one, is between the beginning of its system and next week. */
  boolean plausible();

  /** How plausible it is, only to be compared with other readings of the same text. */
  double score();

  /** What speaks for it or against it. */
  List<String> reasons();

  /** The name of what it may be, and the form if that is not the one of the others. */
  default String name(String othersForm) {
    return form().equals(othersForm) ? type() : type() + " as " + form();
  }

  /** The same, with another {@link #form}. */
  Reading withForm(String form);
}
