package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.FirnException;
import io.firn.store.FaultyStore;
import io.firn.store.Register;
import io.firn.testkit.ManualTimeSource;
import java.time.Instant;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** A counter in the registers of a store that fails as it is told. */
abstract class OneCounter {

  static final String NAME = "orders/segment";

  final FaultyStore store = new FaultyStore();
  final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  final RegisterSegments segments = process();

  /** Another process that uses the store. */
  RegisterSegments process() {
    return RegisterSegments.builder(store).timeSource(time).build();
  }

  Segment next(long count) {
    return segments.next("orders", count);
  }

  Register register() {
    return store.read(NAME).orElseThrow();
  }

  static void fails(Class<? extends FirnException> type, ThrowingCallable call, String message) {
    assertThatExceptionOfType(type).isThrownBy(call).withMessage(message);
  }

  static void refuses(ThrowingCallable call, String message) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
  }
}
