package io.firn.segment;

import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The value of a key's register.
 *
 * @param next the first number that was not handed out yet
 * @param step how many numbers were handed out last, for people
 * @param recent the recent grants, newest first
 * @param store the identity of the store that it was written under; empty where that does not
 *     count, {@link #RESTORED} if an older state was restored since
 */
record SegmentRecord(long next, long step, List<Given> recent, String store) {

  /** The number of assignments that the register remembers. */
  static final int MAX_RECENT = 16;

  private static final String KIND = "firn-segment";
  private static final int FORMAT = 1;

  /** A reader of the first format would count on under any identity. */
  private static final int BOUND_FORMAT = 2;

  /** No store has this identity. */
  static final String RESTORED = "-";

  private static final Pattern GIVEN = Pattern.compile("(\\d+)\\+(\\d+):(.+)");

  /** Numbers that were granted together; the token names their owner. */
  record Given(long first, long count, String token) {

    long end() {
      return first + count;
    }

    Segment segment() {
      return Segment.of(first, count);
    }

    @Override
    public String toString() {
      return first + "+" + count + ":" + token;
    }
  }

  static SegmentRecord startingAt(long next) {
    return new SegmentRecord(next, 0, List.of(), "");
  }

  static SegmentRecord parse(Register register) {
    boolean bound = register.value().startsWith(KIND + "/" + BOUND_FORMAT + " ");
    Map<String, String> fields = RecordText.read(register, KIND, bound ? BOUND_FORMAT : FORMAT);
    try {
      return new SegmentRecord(
          number(RecordText.required(register, fields, "next")),
          number(RecordText.required(register, fields, "step")),
          recent(fields.getOrDefault("recent", "")),
          bound ? RecordText.required(register, fields, "store") : "");
    } catch (NumberFormatException e) {
      throw RecordText.refused(
          register, "next=NUMBER step=NUMBER recent=FIRST+COUNT:TOKEN,… in 0..2^63-1");
    }
  }

  private static long number(String text) {
    long number = Long.parseLong(text);
    if (number < 0) {
      throw new NumberFormatException(text);
    }
    return number;
  }

  private static List<Given> recent(String text) {
    List<Given> recent = new ArrayList<>();
    for (String entry : text.isEmpty() ? new String[0] : text.split(",", -1)) {
      Matcher given = GIVEN.matcher(entry);
      if (!given.matches()) {
        throw new NumberFormatException(entry);
      }
      recent.add(
          new Given(
              Long.parseLong(given.group(1)), Long.parseLong(given.group(2)), given.group(3)));
    }
    return List.copyOf(recent);
  }

  String text() {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("next", next);
    fields.put("step", step);
    if (!recent.isEmpty()) {
      fields.put("recent", recent.stream().map(Given::toString).collect(Collectors.joining(",")));
    }
    if (store.isEmpty()) {
      return RecordText.write(KIND, FORMAT, fields);
    }
    fields.put("store", store);
    return RecordText.write(KIND, BOUND_FORMAT, fields);
  }

  /** Returns the record after the given number of IDs is handed out. */
  SegmentRecord give(long count, String token) {
    List<Given> given = new ArrayList<>();
    given.add(new Given(next, count, token));
    recent.stream().limit(MAX_RECENT - 1).forEach(given::add);
    return new SegmentRecord(next + count, count, List.copyOf(given), store);
  }

  /** Returns the record after numbers that were handed out are confirmed under another token. */
  SegmentRecord confirm(Given given, String token) {
    return new SegmentRecord(
        next, step, replaced(given, new Given(given.first(), given.count(), token)), store);
  }

  /**
   * Returns the record after all but the first {@code kept} of the newest numbers were given back.
   */
  SegmentRecord takeBack(Given newest, long kept) {
    Given rest = new Given(newest.first(), kept, newest.token());
    return new SegmentRecord(rest.end(), step, replaced(newest, rest), store);
  }

  private List<Given> replaced(Given before, Given after) {
    return recent.stream().map(given -> given.equals(before) ? after : given).toList();
  }

  SegmentRecord movedTo(long number, String identity) {
    return new SegmentRecord(number, step, recent, identity);
  }

  /** Returns whether it can be counted on in a store of that identity, empty if that has none. */
  boolean isOf(String identity) {
    return identity.isEmpty() ? !store.equals(RESTORED) : store.equals(identity);
  }

  /** Returns the newest assignment that was not given back completely. */
  Optional<Given> newest() {
    return recent.stream().filter(given -> given.count() > 0).findFirst();
  }

  /** Returns what was given under one of those tokens. */
  Optional<Given> ofAny(Set<String> tokens) {
    return recent.stream().filter(given -> tokens.contains(given.token())).findFirst();
  }

  /**
   * Returns whether numbers up to {@code end} may have been handed out under that token. What came
   * back is remembered too: as long as the register is not full, it remembers everything.
   */
  boolean mayHaveGiven(long end, String token) {
    boolean forgotten = recent.size() == MAX_RECENT && recent.get(MAX_RECENT - 1).first() >= end;
    return forgotten || ofAny(Set.of(token)).isPresent();
  }
}
