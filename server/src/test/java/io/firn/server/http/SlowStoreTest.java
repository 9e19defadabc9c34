package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.SwitchedStores;
import io.firn.testkit.SwitchedStore;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests for which the store is asked each time, while it does not answer. */
@Timeout(180)
final class SlowStoreTest {

  private static final String EMPTY_POST =
      "POST /v1/watermark/%s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n";

  private final String name = "slow-" + System.nanoTime();
  private final SwitchedStore store = SwitchedStores.named(name);
  private final HttpServing serving =
      HttpServing.start("{store: 'switched:" + name + "', namespaces: {orders: }}");

  @AfterEach
  void close() {
    store.letGo();
    store.down(false);
    serving.close();
  }

  @Test
  void endWhenTheirTimeIsOverHoweverManyWait() {
    store.hold();
    List<RawHttp> clients = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      RawHttp client = serving.connect();
      clients.add(client);
      client.send(EMPTY_POST.formatted("orders"));
    }
    for (RawHttp client : clients) {
      assertThat(client.answer())
          .contains(" 503 ", "retry-after: 1\r\n", "No answer came from the store within 10000 ms");
      client.close();
    }
  }

  @Test
  void leaveNothingBehindOfNamesThatNobodyUses() throws Exception {
    try (RawHttp client = serving.connect()) {
      assertThat(client.send(EMPTY_POST.formatted("orders")).answer()).contains(" 200 ");
      assertThat(client.get("/v1/watermark/name").answer()).contains(" 404 ");
      long before = watermarks();
      store.down(true);
      for (int i = 0; i < 100; i++) {
        assertThat(client.send(EMPTY_POST.formatted("name" + i)).answer()).contains(" 503 ");
      }
      assertThat(watermarks()).isLessThan(before + 50);
    }
  }

  /** How many there are in this process, after a collection of garbage. */
  private static long watermarks() throws Exception {
    Object histogram =
        ManagementFactory.getPlatformMBeanServer()
            .invoke(
                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                "gcClassHistogram",
                new Object[] {new String[0]},
                new String[] {String[].class.getName()});
    Matcher found =
        Pattern.compile(": +([0-9]+) +[0-9]+ +io\\.firn\\.lease\\.Watermark(?= |\\n)")
            .matcher(histogram.toString());
    return found.find() ? Long.parseLong(found.group(1)) : 0;
  }
}
