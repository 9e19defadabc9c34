package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A body costs the event loop about its size, however small its parts are. */
@Timeout(120)
final class ChunkedBodyTest {

  private static final String HEAD =
      "POST /v1/ids/orders HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n";

  /** A copy for each part would allocate about 26 MB. */
  private static final long MAX_ALLOCATED = 16L << 20;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void partsCostNoCopiesOfTheWhole() {
    try (HttpServing serving = HttpServing.start("{namespaces: {orders: }}");
        RawHttp client = serving.connect()) {
      long before = allocatedByLoops();
      String chunk = "40\r\n" + "x".repeat(64) + "\r\n";
      client.send(HEAD + chunk.repeat(900) + "0\r\n\r\n");
      assertThat(client.answer()).contains(" 400 ", "body: 57600 bytes (expected: none");
      assertThat(allocatedByLoops() - before).isLessThan(MAX_ALLOCATED);
    }
  }

  @Test
  void manyTinyPartsAreRefused() {
    try (HttpServing serving = HttpServing.start("{namespaces: {orders: }}");
        RawHttp client = serving.connect()) {
      client.send(HEAD + "1\r\nx\r\n".repeat(100) + "0\r\n\r\n");
      assertThat(client.answer()).contains(" 400 ", "body: 100 bytes (expected: none");
      client.send(HEAD + "1\r\nx\r\n".repeat(103));
      assertThat(client.rest())
          .contains(
              " 413 ", "body: 102 chunks for 102 bytes (expected: chunks of at least 64 bytes)");
    }
  }

  private long allocatedByLoops() {
    long bytes = 0;
    for (ThreadInfo thread : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (thread != null && thread.getThreadName().startsWith("firn-loop")) {
        bytes += threads.getThreadAllocatedBytes(thread.getThreadId());
      }
    }
    return bytes;
  }
}
