package io.firn.store;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A register store in memory with the faults of a real one: it goes down, loses requests and
 * replies, applies a write late and forgets, when a test injects that. It counts its calls.
 */
public final class FaultyStore implements RegisterStore {

  /** The fault of a write. */
  public enum Fault {
    APPLIED,
    /** Applied, and the reply is lost. */
    REPLY_LOST,
    /** Never applied, and not reported. */
    REQUEST_LOST,
    /** Applied by {@link #deliverLate}, if its version is still right then. */
    LATE,
    /** Applied, and reported as a conflict by a client that sent it twice. */
    SENT_TWICE,
    /** Certainly not applied. */
    REFUSED
  }

  private record Write(
      String name, long expectedVersion, String value, @Nullable Binding binding) {}

  private final NavigableMap<String, Register> registers = new ConcurrentSkipListMap<>();
  private final AtomicLong versions = new AtomicLong();
  private final Deque<Fault> faults = new ArrayDeque<>();
  private final Deque<Write> late = new ArrayDeque<>();
  private final Map<String, Integer> writes = new HashMap<>();
  private final AtomicLong reads = new AtomicLong();
  private final AtomicLong scans = new AtomicLong();
  private final AtomicLong calls = new AtomicLong();
  private @Nullable LongSupplier clock;
  private boolean mayForget;
  private boolean allowsCounters;
  private @Nullable String identity;
  private @Nullable Runnable beforeWrite;
  private @Nullable Runnable beforeRead;
  private volatile @Nullable Throwable failure;

  /** Gives the store a clock. */
  public FaultyStore withClock(LongSupplier millis) {
    clock = millis;
    return this;
  }

  public FaultyStore thatMayForget() {
    mayForget = true;
    return this;
  }

  public FaultyStore thatAllowsCounters() {
    allowsCounters = true;
    return this;
  }

  /** Gives the store an identity. */
  public FaultyStore withIdentity(String first) {
    identity = first;
    return this;
  }

  /** Returns a copy of all registers, for {@link #rollBack}. */
  public Map<String, Register> copy() {
    return Map.copyOf(registers);
  }

  /** Puts all registers back to what they were. */
  public void rollBack(Map<String, Register> older) {
    registers.clear();
    registers.putAll(older);
  }

  /** Injects faults into the next writes, in order. Later writes are applied. */
  public void nextWrites(Fault... next) {
    Collections.addAll(faults, next);
  }

  /** Runs something between a caller's read and the next write. */
  public void beforeNextWrite(Runnable what) {
    beforeWrite = what;
  }

  /** Runs something before the next read. */
  public void beforeNextRead(Runnable what) {
    beforeRead = what;
  }

  public void deliverLate() {
    while (!late.isEmpty()) {
      apply(late.remove());
    }
  }

  public void goDown() {
    failure = new StoreException("Store faulty: did not answer");
  }

  public void throwAtEveryCall(Throwable e) {
    failure = e;
  }

  public void comeBack() {
    failure = null;
  }

  public void forgetAll() {
    registers.clear();
  }

  /** Takes a register back to what it was, as a failover to a replica that lags does. */
  public void fallBack(Register older) {
    registers.put(older.name(), older);
  }

  public void put(String name, String value) {
    registers.put(name, new Register(name, versions.incrementAndGet(), value));
  }

  public String value(String name) {
    return registers.get(name).value();
  }

  public long reads() {
    return reads.get();
  }

  public long scans() {
    return scans.get();
  }

  /** Returns the number of calls that had to wait for the store. */
  public long calls() {
    return calls.get();
  }

  public int writes(String name) {
    return writes.getOrDefault(name, 0);
  }

  private void runBeforeRead() {
    Runnable before = beforeRead;
    beforeRead = null;
    if (before != null) {
      before.run();
    }
  }

  private void answer() {
    calls.incrementAndGet();
    Throwable e = failure;
    if (e instanceof Error error) {
      throw error;
    } else if (e instanceof RuntimeException exception) {
      throw exception;
    }
  }

  @Override
  public Optional<Register> read(String name) {
    runBeforeRead();
    answer();
    reads.incrementAndGet();
    return Optional.ofNullable(registers.get(name));
  }

  @Override
  public List<Register> readAll(List<String> names) {
    runBeforeRead();
    answer();
    reads.addAndGet(names.size());
    return names.stream().map(registers::get).filter(Objects::nonNull).toList();
  }

  @Override
  public List<Register> scan(String prefix) {
    answer();
    scans.incrementAndGet();
    return List.copyOf(
        new TreeMap<>(registers)
            .tailMap(prefix).values().stream()
                .takeWhile(r -> r.name().startsWith(prefix))
                .toList());
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    return send(new Write(name, expectedVersion, value, null));
  }

  @Override
  public Optional<Snapshot> snapshot(List<String> names) {
    if (identity == null) {
      return Optional.empty();
    }
    List<Register> registers = readAll(names);
    return Optional.of(
        new Snapshot(
            Objects.requireNonNull(identity),
            Objects.requireNonNull(clock).getAsLong(),
            registers));
  }

  @Override
  public WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding) {
    return send(new Write(name, expectedVersion, value, binding));
  }

  private synchronized WriteResult send(Write write) {
    answer();
    Runnable before = beforeWrite;
    beforeWrite = null;
    if (before != null) {
      before.run();
    }
    Fault fault = faults.isEmpty() ? Fault.APPLIED : faults.remove();
    switch (fault) {
      case APPLIED -> {
        return apply(write);
      }
      case REPLY_LOST -> apply(write);
      case SENT_TWICE -> {
        apply(write);
        return WriteResult.CONFLICT;
      }
      case LATE -> late.add(write);
      case REFUSED -> throw new StoreException("Store faulty: refused a write");
      case REQUEST_LOST -> {}
    }
    return WriteResult.UNKNOWN;
  }

  private synchronized WriteResult apply(Write write) {
    Register before = registers.get(write.name());
    if ((before == null ? 0 : before.version()) != write.expectedVersion()) {
      return WriteResult.CONFLICT;
    }
    Binding binding = write.binding();
    if (binding != null && !holds(binding)) {
      return WriteResult.CONFLICT;
    }
    long version = versions.incrementAndGet();
    registers.put(write.name(), new Register(write.name(), version, write.value()));
    writes.merge(write.name(), 1, Integer::sum);
    return WriteResult.applied(version);
  }

  private boolean holds(Binding binding) {
    Register bound = registers.get(binding.register());
    return binding.identity().equals(identity)
        && (bound == null ? 0 : bound.version()) == binding.version();
  }

  @Override
  public OptionalLong currentTimeMillis() {
    LongSupplier now = clock;
    if (now == null) {
      return OptionalLong.empty();
    }
    answer();
    return OptionalLong.of(now.getAsLong());
  }

  @Override
  public boolean mayForget() {
    return mayForget;
  }

  @Override
  public boolean allowsCounters() {
    return allowsCounters || !mayForget;
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "faulty:";
  }
}
