package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import io.firn.testkit.RegisterStoreContract;
import org.junit.jupiter.api.Test;

class InMemoryRegisterStoreTest extends RegisterStoreContract {

  private final RegisterStore store = new InMemoryRegisterStore();

  @Override
  protected RegisterStore open() {
    return store;
  }

  @Test
  void hasTheClockThatItWasGiven() {
    ManualTimeSource clock = new ManualTimeSource(Fleet.START);

    assertThat(new InMemoryRegisterStore(clock).currentTimeMillis())
        .hasValue(Fleet.START.toEpochMilli());
  }
}
