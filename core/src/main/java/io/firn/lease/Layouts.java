package io.firn.lease;

import io.firn.IdLayout;
import io.firn.internal.RecordText;
import io.firn.store.Register;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The layouts of a namespace by ID time: those before, the current one, and the next one if a
 * change was proposed. A change that has come into force stays here as the next one until another
 * change is proposed.
 *
 * @param past the layouts before, the oldest first
 * @param current the layout up to the beginning of the next one
 * @param next the layout that follows; null if there is none
 */
record Layouts(List<Past> past, IdLayout current, @Nullable Next next) {

  /**
   * A layout that the namespace had.
   *
   * @param untilMillis where its ID times ended
   */
  record Past(IdLayout layout, long untilMillis) {}

  /** The state of a change. In each of them, the times of the current layout end. */
  enum State {
    /** The registers of the workers are being read. */
    PROPOSED,
    /** The next layout may be used. */
    FIXED,
    /** It was fixed, and is being called off: no process begins with the next layout. */
    RECALLED;

    String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    static Optional<State> of(String text) {
      return Arrays.stream(values()).filter(state -> state.label().equals(text)).findFirst();
    }
  }

  /**
   * The layout that a namespace changes to.
   *
   * @param fromMillis where its ID times begin, and those of the current one end
   * @param nonce names the write of this state
   */
  record Next(IdLayout layout, long fromMillis, State state, String nonce) {

    boolean fixed() {
      return state == State.FIXED;
    }

    Next with(State other, String newNonce) {
      return new Next(layout, fromMillis, other, newNonce);
    }
  }

  /** Returns the layouts of a namespace that never changed it. */
  static Layouts of(IdLayout layout) {
    return new Layouts(List.of(), layout, null);
  }

  /** Returns whether there is one layout, and was never another one. */
  boolean isPlain() {
    return past.isEmpty() && next == null;
  }

  /** Returns whether a change was proposed, and is not in force at that time. */
  boolean isChanging(long millis) {
    return next != null && (!next.fixed() || millis < next.fromMillis);
  }

  /** Returns the layout in force at a time of now or later. */
  IdLayout at(long millis) {
    return next == null || isChanging(millis) ? current : next.layout;
  }

  /** Returns how many workers there are in the layout that has most of them. */
  long mostWorkers() {
    long most = current.workers();
    for (Past before : past) {
      most = Math.max(most, before.layout.workers());
    }
    return next == null ? most : Math.max(most, next.layout.workers());
  }

  /** Returns where the ID times of the current layout begin; less than any if with the first. */
  long beginMillis() {
    return past.isEmpty() ? Long.MIN_VALUE : past.get(past.size() - 1).untilMillis;
  }

  /** Returns where the ID times of the layout in force at a time begin. */
  long beginMillis(long millis) {
    return next == null || isChanging(millis) ? beginMillis() : next.fromMillis;
  }

  /** Returns where the ID times of a layout begin, if it is the current or the next one. */
  long fromMillis(IdLayout layout) {
    return isNext(layout) ? Objects.requireNonNull(next).fromMillis : beginMillis();
  }

  /** Returns where the ID times of a layout end; less than any time if it never had any. */
  long untilMillis(IdLayout layout) {
    if (isNext(layout) || (current.equals(layout) && next == null)) {
      return Long.MAX_VALUE;
    }
    if (current.equals(layout)) {
      return Objects.requireNonNull(next).fromMillis;
    }
    return past.stream()
        .filter(before -> before.layout.equals(layout))
        .mapToLong(Past::untilMillis)
        .max()
        .orElse(Long.MIN_VALUE);
  }

  /** Returns whether windows of a layout may be used, in its times. */
  boolean isUsable(IdLayout layout) {
    return current.equals(layout) || (isNext(layout) && Objects.requireNonNull(next).fixed());
  }

  private boolean isNext(IdLayout layout) {
    return next != null && next.layout.equals(layout);
  }

  Layouts withNext(@Nullable Next change) {
    return new Layouts(past, current, change);
  }

  /** Returns the layouts as of a time: a change that is in force then is the current layout. */
  Layouts asOf(long millis) {
    if (next == null || isChanging(millis)) {
      return this;
    }
    List<Past> before = new ArrayList<>(past);
    before.add(new Past(current, next.fromMillis));
    return new Layouts(List.copyOf(before), next.layout, null);
  }

  // The fields of the register.

  static Layouts parse(Register register, Map<String, String> fields) {
    String layout = RecordText.required(register, fields, "layout");
    try {
      IdLayout current = IdLayout.of(layout);
      String past = fields.getOrDefault("past", "");
      List<Past> before =
          past.isEmpty() ? List.of() : Arrays.stream(past.split(",")).map(Layouts::past).toList();
      String next = fields.get("next");
      return new Layouts(before, current, next == null ? null : next(register, next, fields));
    } catch (DateTimeException | ArithmeticException | IllegalArgumentException e) {
      throw RecordText.refused(
          register, "layout=LAYOUT past=LAYOUT..INSTANT,… next=LAYOUT from=INSTANT");
    }
  }

  private static Past past(String text) {
    int end = text.lastIndexOf("..");
    return new Past(
        IdLayout.of(text.substring(0, Math.max(0, end))),
        Instant.parse(text.substring(end + 2)).toEpochMilli());
  }

  private static Next next(Register register, String layout, Map<String, String> fields) {
    State state =
        State.of(RecordText.required(register, fields, "state"))
            .orElseThrow(() -> RecordText.refused(register, "state=proposed, fixed or recalled"));
    return new Next(
        IdLayout.of(layout),
        Instant.parse(RecordText.required(register, fields, "from")).toEpochMilli(),
        state,
        RecordText.required(register, fields, "change"));
  }

  void write(Map<String, Object> fields) {
    fields.put("layout", current);
    if (next != null) {
      fields.put("next", next.layout);
      fields.put("from", Instant.ofEpochMilli(next.fromMillis));
      fields.put("state", next.state.label());
      fields.put("change", next.nonce);
    }
    if (!past.isEmpty()) {
      fields.put("past", past.stream().map(Layouts::text).collect(Collectors.joining(",")));
    }
  }

  private static String text(Past past) {
    return past.layout + ".." + Instant.ofEpochMilli(past.untilMillis);
  }
}
