package io.firn;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The first sequence number of a tick that the clock begins. A tick that is entered because the one
 * before is full always starts at 0.
 */
public final class SequenceStart {

  private enum Rule {
    CONTINUE,
    ZERO,
    RANDOM,
    ROTATING
  }

  /**
   * Continues counting from tick to tick, from a random number at the first. However low the
   * traffic, IDs spread evenly over every {@code id % n}. A tick that is entered with few numbers
   * left is full after as few IDs. The next tick then begins at 0, and a caller waits for it unless
   * {@link Snowflake.Builder#maxLead} covers it. With ticks of a second, such as {@link
   * IdLayout#GAME}'s, that may take a second: use {@link #ZERO} there.
   */
  public static final SequenceStart CONTINUE = new SequenceStart(Rule.CONTINUE, 1);

  /** Starts each tick at 0, as Twitter's. Under low traffic all IDs are even. */
  public static final SequenceStart ZERO = new SequenceStart(Rule.ZERO, 1);

  private static final Pattern FORM =
      Pattern.compile(
          "(continue|zero)|(random|rotating)\\((\\d{1,9})\\)", Pattern.CASE_INSENSITIVE);

  private final Rule rule;
  private final long bound;

  private SequenceStart(Rule rule, long bound) {
    if (bound < 1) {
      throw new IllegalArgumentException("bound: " + bound + " (expected: at least 1)");
    }
    this.rule = rule;
    this.bound = bound;
  }

  /**
   * Starts each tick at a random number, as Leaf's (bound 100).
   *
   * @param bound the number of different starts, 1..2^sequenceBits: 0..bound-1
   */
  public static SequenceStart random(long bound) {
    return new SequenceStart(Rule.RANDOM, bound);
  }

  /**
   * Starts ticks at 0, 1, … bound-1, 0, … in turn, as ShardingSphere's with a maximum vibration
   * offset of bound-1.
   *
   * @param bound the number of different starts, 1..2^sequenceBits
   */
  public static SequenceStart rotating(long bound) {
    return new SequenceStart(Rule.ROTATING, bound);
  }

  /**
   * Reads what {@link #toString} writes, in any case: {@code continue}, {@code zero}, {@code
   * random(100)}, {@code rotating(2)}.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  public static SequenceStart of(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches()) {
      throw new IllegalArgumentException(
          "sequenceStart: "
              + text
              + " (expected: continue, zero, random(N) or rotating(N), N below 10^9)");
    }
    if (form.group(1) != null) {
      return form.group(1).equalsIgnoreCase("zero") ? ZERO : CONTINUE;
    }
    return new SequenceStart(
        Rule.valueOf(form.group(2).toUpperCase(Locale.ROOT)), Long.parseLong(form.group(3)));
  }

  boolean continues() {
    return rule == Rule.CONTINUE;
  }

  boolean isRandom() {
    return rule == Rule.RANDOM;
  }

  boolean rotates() {
    return rule == Rule.ROTATING;
  }

  long bound() {
    return bound;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof SequenceStart start && start.rule == rule && start.bound == bound;
  }

  @Override
  public int hashCode() {
    return 31 * rule.hashCode() + Long.hashCode(bound);
  }

  @Override
  public String toString() {
    String name = rule.name().toLowerCase(Locale.ROOT);
    return switch (rule) {
      case CONTINUE, ZERO -> name;
      case RANDOM, ROTATING -> name + "(" + bound + ")";
    };
  }
}
