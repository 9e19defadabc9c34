package io.firn;

import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A generator as its lease sees it. A tick must not be issued with two workers, or the IDs of this
 * generator would not grow: before a window of another worker is permitted, the old one is cut off
 * at a tick that is not drawn yet.
 */
final class LeasedSnowflake implements LeasedGenerator {

  private final Snowflake source;
  private LeaseWindow window;

  /** Follows the lease for the generator of the next layout. */
  private @Nullable LeasedSnowflake next;

  LeasedSnowflake(Snowflake source, LeaseWindow window) {
    this.source = source;
    this.window = window;
  }

  @Override
  public long maxLeadMillis() {
    return source.maxLeadMillis;
  }

  @Override
  public long newestMillis() {
    return next != null && next.hasDrawn() ? next.newestMillis() : source.newestMillis();
  }

  private boolean hasDrawn() {
    return source.hasDrawn() || (next != null && next.hasDrawn());
  }

  @Override
  public void switchTo(String layout, LeaseWindow begun) {
    if (next == null) {
      next = new LeasedSnowflake(source.beginSuccessor(IdLayout.of(layout), begun), begun);
    } else {
      next.switchTo(layout, begun);
    }
  }

  @Override
  public void permit(LeaseWindow permitted) {
    if (next != null) {
      next.permit(permitted);
      source.cutAt(permitted.notAfterMillis());
      if (permitted.notAfterMillis() < window.notAfterMillis()) {
        source.scopes.expireAll();
      }
      return;
    }
    boolean continues =
        permitted.worker() == window.worker()
            && permitted.notBeforeMillis() == window.notBeforeMillis();
    if (!continues || permitted.notAfterMillis() < window.notAfterMillis()) {
      source.scopes.expireAll();
    }
    source.permit(permitted, continues);
    window = permitted;
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
    if (next == null || source.handOver() == null) {
      return source.lowMillis(nowMillis);
    }
    // First the word is moved up. A scope that is opened during the change, and enters the set
    // after it was emptied, draws from there.
    long low = next.lowMillis(nowMillis);
    source.scopes.expireAll();
    return low;
  }

  @Override
  public long close() {
    long unusedNewest = source.closeWord();
    long own = source.newestMillis();
    if (next == null) {
      return own;
    }
    boolean drawn = next.hasDrawn();
    long newest = next.close();
    return drawn || next.hasDrawn() ? newest : own;
  }
}
