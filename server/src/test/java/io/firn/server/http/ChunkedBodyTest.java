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

  private static final int BYTES = 40_000;

  /** A copy for each part would allocate about 800 MB. */
  private static final long MAX_ALLOCATED = 200L << 20;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  @Test
  void partsOfAByteCostNoCopiesOfTheWhole() {
    try (HttpServing serving = HttpServing.start("{namespaces: {orders: }}");
        RawHttp client = serving.connect()) {
      long before = allocatedByLoops();
      client.send(
          "POST /v1/ids/orders HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "1\r\nx\r\n".repeat(BYTES)
              + "0\r\n\r\n");
      assertThat(client.answer()).contains(" 400 ", "body: " + BYTES + " bytes (expected: none");
      assertThat(allocatedByLoops() - before).isLessThan(MAX_ALLOCATED);
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
