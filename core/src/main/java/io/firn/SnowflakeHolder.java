package io.firn;

import io.firn.internal.LeaseHolder;
import io.firn.internal.LeaseWindow;
import org.jspecify.annotations.Nullable;

/**
 * A generator as its lease sees it. A tick must not be issued with two workers, or the IDs of this
 * generator would not grow: before a window of another worker is permitted, the old one is cut off
 * at a tick that is not drawn yet.
 */
final class SnowflakeHolder implements LeaseHolder {

  private final SnowflakeWord source;
  private LeaseWindow window;

  /** Follows the lease for the generator of the next layout. */
  private @Nullable SnowflakeHolder next;

  SnowflakeHolder(SnowflakeWord source, LeaseWindow window) {
    this.source = source;
    this.window = window;
  }

  @Override
  public long maxLeadMillis() {
    return source.maxLeadMillis;
  }

  @Override
  public long newestMillis() {
    return next != null && next.hasDrawn()
        ? next.newestMillis()
        : source.format.endMillis(source.end() - 1); // also of a closed word
  }

  private boolean hasDrawn() {
    return source.end() != source.initial || (next != null && next.hasDrawn());
  }

  @Override
  public void goOver(String layout, LeaseWindow begun) {
    if (next != null) {
      next.goOver(layout, begun);
      return;
    }
    cutAt(begun.notBeforeMillis());
    Snowflake other =
        new Snowflake(
            IdLayout.of(layout),
            source.drawClock,
            source.policy,
            0,
            source.lease,
            begun,
            source.time.currentTimeMillis());
    other.follows = true;
    next = new SnowflakeHolder(other, begun);
    source.successor = other;
  }

  /** Ends the grant at a time, if it does not end before. */
  private void cutAt(long millis) {
    source.grant =
        source.grant.until(source.format.tickAt(millis - source.format.epochMillis()) - 1);
  }

  @Override
  public void permit(LeaseWindow permitted) {
    if (next != null) {
      next.permit(permitted);
      cutAt(permitted.notAfterMillis());
      return;
    }
    Grant held = source.grant;
    Grant wanted = source.format.grantOf(permitted);
    boolean goesOn =
        permitted.worker() == window.worker()
            && permitted.notBeforeMillis() == window.notBeforeMillis();
    if (!goesOn || permitted.notAfterMillis() < window.notAfterMillis()) {
      source.scopes.giveUpAll();
    }
    source.clock.record(
        source.sinceEpoch()); // the lease has read it, and no lead is left that it made good
    source.grant = goesOn ? wanted.from(held.firstTick()) : wanted.from(cutOff(held, wanted));
    window = permitted;
  }

  /** Ends the held grant before a tick that is not drawn yet, and returns that tick. */
  private long cutOff(Grant held, Grant wanted) {
    long tick = wanted.firstTick();
    do {
      tick = Math.max(tick, newestTick() + 1);
      source.grant = held.until(tick - 1);
    } while (newestTick() >= tick);
    return tick;
  }

  @Override
  public boolean usesScopes() {
    return source.usesScopes();
  }

  @Override
  public boolean hasOpenScopes() {
    return !source.scopes.isEmpty() || (next != null && next.hasOpenScopes());
  }

  @Override
  public long lowMillis(long nowMillis) {
    if (next != null && source.goneOver() != null) {
      return next.lowMillis(nowMillis);
    }
    source.drawClock = source.time; // readers of a watermark bound what is drawn late
    long tick =
        source.moveUpTo(nowMillis - source.format.epochMillis()); // before the scopes are looked at
    return source.format.epochMillis() + source.scopes.lowTick(tick) * source.format.tickMillis();
  }

  private long newestTick() {
    return (source.word.get() - 1) >> source.format.sequenceBits();
  }

  @Override
  public long close() {
    long own = source.format.endMillis(source.closeWord());
    if (next == null) {
      return own;
    }
    boolean drawn = next.hasDrawn();
    long newest = next.close();
    return drawn || next.hasDrawn() ? newest : own;
  }
}
