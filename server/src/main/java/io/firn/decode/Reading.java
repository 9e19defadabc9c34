package io.firn.decode;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** One way to read a text as an ID. */
public sealed interface Reading permits NumberReading, WideReading {

  /** Returns the ID in the form that its system writes: in decimal, as a UUID, as a ULID. */
  String id();

  /** Returns which system it may be of, in a word: {@code twitter}, {@code uuid7}. */
  String type();

  /** Returns the name of that, for people. */
  String title();

  /** Returns how the text was taken, in a word: {@code decimal}, {@code base62}, {@code uuid}. */
  String form();

  /** Returns when the ID was made, if it says so. */
  Optional<Instant> instant();

  /** Returns all bits of the ID as zeros and ones, the highest first: 64, 96, 128 or 160. */
  String binary();

  /** Returns what the bits hold, the highest first; those above the first field are unused. */
  List<IdField> fields();

  /**
   * Returns whether it may well be one; a number is, if its time is between its epoch and next
   * week.
   */
  boolean plausible();

  /** Returns how plausible it is, only to be compared with other readings of the same text. */
  double score();

  /** Returns the evidence for it and against it. */
  List<String> reasons();

  /** Returns the name of what it may be, and the form if that is not the one of the others. */
  default String name(String othersForm) {
    return form().equals(othersForm) ? type() : type() + " as " + form();
  }

  /** Returns the same, with another {@link #form}. */
  Reading withForm(String form);
}
