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

  /** What that is, for people. */
  String title();

  /** How the text was taken, in a word: {@code decimal}, {@code base62}, {@code uuid}. */
  String form();

  /** When the ID was made, if it says so. */
  Optional<Instant> instant();

  /** All bits of the ID as zeros and ones, the highest first: 64, 96, 128 or 160. */
  String binary();

  /** What the bits hold, the highest first; those above the first field are unused. */
  List<IdField> fields();

  /** Whether it may well be one; a number is, if its time is between its epoch and next week. */
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
