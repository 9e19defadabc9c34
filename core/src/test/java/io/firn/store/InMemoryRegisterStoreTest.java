package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import io.firn.testkit.RegisterStoreContract;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class InMemoryRegisterStoreTest extends RegisterStoreContract {

  private final RegisterStore store = new InMemoryRegisterStore();

  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");

  @Override
  protected RegisterStore open() {
    return store;
  }

  @Test
  void hasTheClockThatItWasGiven() {
    ManualTimeSource clock = new ManualTimeSource(START);

    assertThat(new InMemoryRegisterStore(clock).currentTimeMillis()).hasValue(START.toEpochMilli());
  }
}
