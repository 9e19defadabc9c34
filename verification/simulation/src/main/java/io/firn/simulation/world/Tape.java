package io.firn.simulation.world;

import io.firn.FirnException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * All that a process was asked to do, and what its clocks, its random numbers and the store
 * answered. Production code has no other inputs, so a process that is asked the same and is
 * answered the same is a copy: a snapshot of a running process that was restored twice.
 *
 * <p>Entries are in the order in which calls begin and answers end: a call that happens while the
 * process waits for an answer stands before that answer. A tape may end in the middle of calls: the
 * copy then gets answers of its own, and its calls continue.
 */
final class Tape {

  /** An event of a process. */
  sealed interface Entry {}

  private record Call<T>(
      Function<Incarnation, T> what, BiConsumer<Incarnation, ? super T> whenCopied)
      implements Entry {

    void make(Incarnation process) {
      try {
        T result = what.apply(process);
        if (!process.isReplaying()) {
          whenCopied.accept(process, result);
        }
      } catch (FirnException | IllegalArgumentException | LinkageError e) {
        process.log("fails as a copy:", e.getClass().getSimpleName());
      }
    }
  }

  private record Answer(Object value) implements Entry {}

  private record Failure(Throwable thrown) implements Entry {}

  private final List<Entry> entries = new ArrayList<>();
  private boolean kept;
  private @Nullable Incarnation copy;
  private int next;

  /** A tape that is kept only if someone may ask for a copy. */
  Tape(boolean kept) {
    this.kept = kept;
  }

  boolean isReplaying() {
    return copy != null;
  }

  /** Returns what is on it now. */
  List<Entry> entries() {
    return List.copyOf(entries);
  }

  /** Makes a process that was just started do all that is on another's tape. */
  void replay(List<Entry> original, Incarnation process) {
    entries.clear();
    entries.addAll(original);
    copy = process;
    while (copy != null && next < entries.size()) {
      if (!(entries.get(next++) instanceof Call<?> call)) {
        throw new IllegalStateException("an answer that " + process + " did not ask for");
      }
      call.make(process);
    }
    goOn();
  }

  /** Ends the replay; a copy is not copied again. */
  private void goOn() {
    copy = null;
    kept = false;
    entries.clear();
  }

  /**
   * Notes a call that a process is asked to make.
   *
   * @param whenCopied takes what it returns in a copy that was made in the middle of it
   */
  <T> void note(Function<Incarnation, T> what, BiConsumer<Incarnation, ? super T> whenCopied) {
    if (kept && copy == null) {
      entries.add(new Call<>(what, whenCopied));
    }
  }

  /** Returns an answer from outside of the process. */
  <T> T answer(Supplier<T> outside) {
    return answer(outside, outside);
  }

  /**
   * Returns an answer from outside of the process.
   *
   * @param restored the answer to a copy that was made while the original waited for one
   */
  @SuppressWarnings("unchecked") // the original got the same
  <T> T answer(Supplier<T> outside, Supplier<T> restored) {
    if (copy != null) {
      Entry entry = nextAnswer(copy);
      return entry == null ? restored.get() : (T) valueOf(entry);
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

  /** Makes the calls that happened meanwhile, and returns the answer; null if the tape ends. */
  private @Nullable Entry nextAnswer(Incarnation process) {
    while (copy != null && next < entries.size()) {
      Entry entry = entries.get(next++);
      if (!(entry instanceof Call<?> call)) {
        return entry;
      }
      call.make(process);
    }
    goOn();
    return null;
  }

  private static Object valueOf(Entry entry) {
    if (entry instanceof Failure failure) {
      if (failure.thrown() instanceof LinkageError error) {
        throw error;
      }
      throw (FirnException) failure.thrown();
    }
    return ((Answer) entry).value();
  }
}
