package io.firn;

import io.firn.IdLayout.Kind;
import io.firn.internal.LeaseWindow;
import io.firn.time.TimeSource;

/**
 * The constants of a layout that its generators use: the places of tick and sequence in a number
 * (the tick above, the sequence below) and in an ID. Times count in milliseconds from the layout's
 * epoch.
 *
 * @param layout the layout
 * @param epochMillis the epoch, since 1970-01-01T00:00Z
 * @param tickMillis the length of a tick
 * @param lastTick the last tick whose IDs are positive
 * @param sequenceBits how many low bits of a number hold the sequence
 * @param timeShift where the tick begins in an ID
 * @param sequenceShift where the sequence begins in an ID
 */
record TickFormat(
    IdLayout layout,
    long epochMillis,
    long tickMillis,
    long lastTick,
    int sequenceBits,
    int timeShift,
    int sequenceShift) {

  static TickFormat of(IdLayout layout) {
    return new TickFormat(
        layout,
        layout.epochMillis(),
        layout.tickMillis(),
        layout.lastPositiveTick(),
        layout.bits(Kind.SEQUENCE),
        layout.shift(Kind.TIME),
        layout.shift(Kind.SEQUENCE));
  }

  /** Reads a clock, in milliseconds since the epoch. */
  long sinceEpoch(TimeSource clock) {
    return clock.currentTimeMillis() - epochMillis;
  }

  long tickOf(long number) {
    return number >>> sequenceBits;
  }

  long sequenceOf(long number) {
    return number & (sequencesPerTick() - 1);
  }

  long sequencesPerTick() {
    return 1L << sequenceBits;
  }

  long number(long tick, long sequence) {
    return (tick << sequenceBits) | sequence;
  }

  long compose(long workerBits, long number) {
    return workerBits | tickOf(number) << timeShift | sequenceOf(number) << sequenceShift;
  }

  boolean isTimeHighest() {
    return layout.fields().get(0).kind() == Kind.TIME;
  }

  /** Returns how many of the wanted numbers, from this one on, are of the same tick. */
  int room(long number, int wanted) {
    return (int) Math.min(wanted, sequencesPerTick() - sequenceOf(number));
  }

  /** Returns how many IDs a claim got that wanted that many and returned this first ID. */
  int claimed(long id, int wanted) {
    return room(id >>> sequenceShift, wanted);
  }

  /** Returns the difference between an ID and the next one of the same tick. */
  long idStep() {
    return 1L << sequenceShift;
  }

  /** Returns when the tick of an ID began. */
  long tickStart(long id) {
    return ((id >>> timeShift) & ((1L << layout.bits(Kind.TIME)) - 1)) * tickMillis;
  }

  /** Returns the last tick that has begun at that time. */
  long tickAt(long millis) {
    return Math.floorDiv(millis, tickMillis);
  }

  /** Returns whether that time is inside the tick. */
  boolean isInside(long tick, long millis) {
    return Long.compareUnsigned(millis - tick * tickMillis, tickMillis) < 0;
  }

  /** Returns when a number's tick ends, since 1970; -1 is of the tick before the first. */
  long endMillis(long number) {
    return epochMillis + ((number >> sequenceBits) + 1) * tickMillis;
  }

  /** Returns the whole ticks inside a window, up to the layout's end. */
  Grant grantOf(LeaseWindow window) {
    return new Grant(
        layout.placeWorkerId(window.worker()),
        Math.max(0, -Math.floorDiv(epochMillis - window.notBeforeMillis(), tickMillis)),
        Math.min(lastTick, tickAt(window.notAfterMillis() - epochMillis) - 1),
        window.leadMillis());
  }
}
