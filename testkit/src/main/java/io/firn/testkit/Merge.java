package io.firn.testkit;

import java.util.List;

/** The keys of many runs in one ascending order: a binary heap of readers by their key. */
final class Merge {

  private final Run.Reader[] heap;
  private int size;

  Merge(List<Run> runs) {
    heap = new Run.Reader[runs.size()];
    for (Run run : runs) {
      Run.Reader reader = new Run.Reader(run);
      if (reader.advance()) {
        heap[size++] = reader;
      }
    }
    for (int i = size / 2 - 1; i >= 0; i--) {
      sink(i);
    }
  }

  boolean isEmpty() {
    return size == 0;
  }

  /** Takes the smallest key. */
  long next() {
    Run.Reader top = heap[0];
    long key = top.key();
    if (!top.advance()) {
      heap[0] = heap[--size];
    }
    sink(0);
    return key;
  }

  private void sink(int from) {
    Run.Reader moving = heap[from];
    int at = from;
    while (true) {
      int child = 2 * at + 1;
      if (child >= size) {
        break;
      }
      if (child + 1 < size && heap[child + 1].key() < heap[child].key()) {
        child++;
      }
      if (moving.key() <= heap[child].key()) {
        break;
      }
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = moving;
  }
}
