package io.firn.segment;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A counter that a test moves, breaks and mends. It remembers what it was asked for. */
class HandCounter implements SegmentSource {

  final List<Long> asked = new ArrayList<>();
  final List<Segment> givenBack = new ArrayList<>();
  final Deque<Segment> script = new ArrayDeque<>();
  long next = 1;
  long most = Long.MAX_VALUE;
  boolean takesBack = true;
  @Nullable Runnable onNext;
  @Nullable RuntimeException failure;

  @Override
  public synchronized Segment next(String key, long count) {
    asked.add(count);
    if (onNext != null) {
      onNext.run();
    }
    if (failure != null) {
      throw failure;
    }
    if (!script.isEmpty()) {
      return script.remove();
    }
    Segment segment = Segment.of(next, Math.min(count, most));
    next += segment.count();
    return segment;
  }

  @Override
  public synchronized boolean giveBack(String key, Segment rest) {
    givenBack.add(rest);
    return takesBack;
  }

  @Override
  public String toString() {
    return "hand:";
  }
}
