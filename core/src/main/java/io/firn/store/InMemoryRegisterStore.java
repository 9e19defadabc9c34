package io.firn.store;

import io.firn.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Registers in this process's memory: for tests, and for generators that share one process. */
public final class InMemoryRegisterStore implements RegisterStore {

  private final Map<String, Register> registers = new ConcurrentHashMap<>();
  private final AtomicLong versions = new AtomicLong();
  private final @Nullable TimeSource clock;

  /** Creates a store without a clock. */
  public InMemoryRegisterStore() {
    clock = null;
  }

  /** Creates a store with a clock. */
  public InMemoryRegisterStore(TimeSource clock) {
    this.clock = clock.precise();
  }

  @Override
  public Optional<Register> read(String name) {
    return Optional.ofNullable(registers.get(Register.requireName(name)));
  }

  @Override
  public List<Register> scan(String prefix) {
    return registers.values().stream()
        .filter(register -> register.name().startsWith(prefix))
        .toList();
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    Register next =
        new Register(
            Register.requireName(name), versions.incrementAndGet(), Register.requireValue(value));
    Register after =
        registers.compute(
            name,
            (key, before) ->
                (before == null ? 0 : before.version()) == expectedVersion ? next : before);
    return after != null && after.version() == next.version()
        ? WriteResult.applied(next.version())
        : WriteResult.CONFLICT;
  }

  @Override
  public OptionalLong currentTimeMillis() {
    return clock == null ? OptionalLong.empty() : OptionalLong.of(clock.currentTimeMillis());
  }

  @Override
  public boolean isScanCurrent() {
    return true;
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "memory:";
  }
}
