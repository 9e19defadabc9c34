package io.firn.simulation;

import io.firn.FirnException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All that a process was asked to do, and what its clocks, its random numbers and the store
 * answered. Production code has no other inputs, so a process that is asked the same and is
 * answered the same is a copy: a snapshot of a running process that was restored twice.
 *
 * <p>Entries are in the order in which calls begin and answers end: a call that happens while the
 * process waits for an answer stands before that answer.
 */
final class Tape {

  private interface Entry {}

  private record Call(Function<Incarnation, ?> what) implements Entry {}

  private record Answer(Object value) implements Entry {}

  private record Failure(Throwable thrown) implements Entry {}

  private final boolean kept;
  private final List<Entry> entries = new ArrayList<>();
  private @Nullable Incarnation copy;
  private int next;

  /** A tape that is kept only if somebody may ask for a copy. */
  Tape(boolean kept) {
    this.kept = kept;
  }

  boolean isReplaying() {
    return copy != null;
  }

  /** Has a process that was just started do all that is on another's tape. */
  void replay(Tape original, Incarnation process) {
    entries.addAll(original.entries);
    copy = process;
    while (next < entries.size()) {
      if (!(entries.get(next++) instanceof Call call)) {
        throw new IllegalStateException("an answer that " + process + " did not ask for");
      }
      make(call, process);
    }
    copy = null;
    entries.clear();
  }

  private static void make(Call call, Incarnation process) {
    try {
      Object unused = call.what().apply(process);
    } catch (FirnException | IllegalArgumentException | LinkageError e) {
      return; // as the original's
    }
  }

  /** Notes a call that a process is asked to make. */
  void note(Function<Incarnation, ?> what) {
    if (kept && copy == null) {
      entries.add(new Call(what));
    }
  }

  /** Returns an answer from outside of the process. */
  <T> T answer(Supplier<T> outside) {
    if (copy != null) {
      return replayed(copy);
    }
    if (!kept) {
      return outside.get();
    }
    try {
      T value = outside.get();
      entries.add(new Answer(value));
      return value;
    } catch (FirnException | LinkageError e) {
      entries.add(new Failure(e));
      throw e;
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the original got the same
  private <T> T replayed(Incarnation process) {
    while (entries.get(next) instanceof Call call) {
      next++;
      make(call, process);
    }
    Entry entry = entries.get(next++);
    if (entry instanceof Failure failure) {
      if (failure.thrown() instanceof LinkageError error) {
        throw error;
      }
      throw (FirnException) failure.thrown();
    }
    return (T) ((Answer) entry).value();
  }
}
