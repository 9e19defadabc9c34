package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.UnknownHostException;
import java.sql.SQLException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class StoreCallTest {

  @Test
  void reasonIsTheInnermostMessageOnOneLine() {
    IOException inner = new IOException(" connection\n  refused ");
    assertThat(StoreCall.reason(new RuntimeException("outer", inner)))
        .isEqualTo("connection refused");
    assertThat(StoreCall.reason(new IOException("told", new IOException())))
        .as("the innermost that has one")
        .isEqualTo("told");
    assertThat(StoreCall.reason(new IllegalStateException()))
        .isEqualTo("java.lang.IllegalStateException");
  }

  @Test
  void reasonIsInWordsWhereAnExceptionHasNone() {
    assertThat(StoreCall.reason(new CompletionException(new TimeoutException())))
        .isEqualTo("no answer in time");
    assertThat(StoreCall.reason(new SQLException("no socket", new UnknownHostException("db.nope"))))
        .isEqualTo("the host db.nope is unknown");
    assertThat(StoreCall.reason(new UnknownHostException("db.nope: Name or service not known")))
        .isEqualTo("db.nope: Name or service not known");
  }

  @Test
  void reasonLeavesOutTheSystemCallOfNetty() {
    assertThat(reason("connect(..) failed with error(-111): Connection refused: /127.0.0.1:1"))
        .isEqualTo("Connection refused: /127.0.0.1:1");
    String elsewhere = "Node 3: connect(..) failed with error(-111): Connection refused";
    assertThat(reason(elsewhere)).isEqualTo(elsewhere);
  }

  private static String reason(String message) {
    return StoreCall.reason(new IOException(message));
  }
}
