package io.firn.server;

import io.firn.testkit.ForwardingTimeSource;
import io.firn.time.TimeSource;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;

/** Records which threads look at the clock for some classes. */
public final class WatchedTime extends ForwardingTimeSource {

  private final Pattern classes;
  private final Set<String> threads = ConcurrentHashMap.newKeySet();

  /**
   * Creates one.
   *
   * @param classes the beginnings of their names
   */
  public WatchedTime(String classes) {
    super(TimeSource.system());
    this.classes = Pattern.compile(classes);
  }

  /** Returns the names of the threads. */
  public Set<String> threads() {
    return threads;
  }

  @Override
  public long currentTimeMillis() {
    if (Arrays.stream(new Throwable().getStackTrace())
        .anyMatch(call -> classes.matcher(call.getClassName()).lookingAt())) {
      threads.add(Thread.currentThread().getName());
    }
    return super.currentTimeMillis();
  }
}
