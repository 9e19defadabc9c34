package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.firn.store.RegisterStore;
import io.firn.testkit.LogLines;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

final class RequestExceptionTest {

  @Test
  void aClosedStoreMeansThatTheServerStops() {
    RegisterStore store = RegisterStore.open("jdbc:h2:mem:closed");
    store.close();
    Throwable closed = catchThrowable(() -> store.read("orders/layout"));
    try (LogLines log = new LogLines("io.firn.server")) {
      assertThat(RequestException.of(new CompletionException(closed)))
          .hasMessage("This server is stopping; retry with another server");
      assertThat(log.messages()).isEmpty();
    }
  }

  /** A defect of the server has other reasons than its stop, and is logged. */
  @Test
  void anotherIllegalStateIsAnUnexpectedError() {
    try (LogLines log = new LogLines("io.firn.server")) {
      RequestException answer = RequestException.of(new IllegalStateException("no such state"));
      assertThat(answer)
          .hasMessage(
              "The request failed because of an unexpected error, which the server logged:"
                  + " java.lang.IllegalStateException: no such state");
      assertThat(log.messages()).hasSize(1);
    }
  }
}
