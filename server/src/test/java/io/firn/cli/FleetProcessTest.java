package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.server.RawClient;
import io.firn.testkit.CuttingProxy;
import io.firn.testkit.IdHistory;
import io.firn.testservers.FailoverClients;
import io.firn.testservers.FirnServer;
import io.firn.testservers.PostgresServer;
import io.firn.testservers.RedisServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that share a store, in processes that are killed or cut off while clients ask them. */
@Timeout(180)
final class FleetProcessTest {

  /** JVMs that start at once are slow, and what they are slow at is not tested here. */
  private static final String LONG_TIMEOUT = "timeout=20s";

  /** Long enough for such a timeout. */
  private static final String WINDOW = "--defaults-window=2m";

  private static final int[] PIPELINES = {1, 1, 16, 16};
  private static final Pattern ENDED = Pattern.compile("ended at (\\S+) and was not renewed");

  @Test
  void twoServersOnRedisIssueNothingTwice() {
    try (RedisServer redis = RedisServer.start()) {
      twoServersOnOneStoreIssueNothingTwice(
          "redis://127.0.0.1:" + redis.port() + "?" + LONG_TIMEOUT);
    }
  }

  @Test
  void twoServersOnPostgresIssueNothingTwice() {
    try (PostgresServer postgres = PostgresServer.start()) {
      twoServersOnOneStoreIssueNothingTwice(postgres.jdbcUrl() + "&" + LONG_TIMEOUT);
    }
  }

  private static void twoServersOnOneStoreIssueNothingTwice(String store) {
    try (FirnServer first = FirnServer.start("--store", store, WINDOW);
        FirnServer second = FirnServer.start("--store", store, WINDOW);
        FailoverClients clients =
            new FailoverClients(List.of(first.address(), second.address()), PIPELINES)) {
      clients.awaitIds();
      first.kill();
      clients.awaitIds();
      assertThat(clients.breaks()).containsExactly(1, 0, 1, 0);
      first.restart();
      second.kill();
      clients.awaitIds();

      IdHistory.Report report = clients.end();
      assertThat(report.duplicates()).as(report::toString).isZero();
      assertThat(clients.breaks()).containsExactly(2, 1, 2, 1);
      for (int i = 0; i < PIPELINES.length; i++) {
        assertThat(clients.lost().get(i))
            .isBetween(clients.breaks().get(i), clients.breaks().get(i) * PIPELINES[i]);
      }
      assertThat(clients.refusals()).isZero();
    }
  }

  @Test
  void aServerThatIsCutOffServesToItsFenceAndComesBackByItself() throws Exception {
    try (RedisServer redis = RedisServer.start();
        CuttingProxy proxy = CuttingProxy.to(redis.address());
        FirnServer server =
            FirnServer.start(
                "--store=redis://127.0.0.1:"
                    + proxy.address().getPort()
                    + "?may-forget=false&timeout=1s",
                "--defaults-window=4s");
        FailoverClients clients = new FailoverClients(List.of(server.address()), 1)) {
      clients.awaitIds();
      assertThat(readiness(server)).contains(" 200 ");

      proxy.refuse();
      Instant cut = Instant.now();
      Instant fence = fence(awaitReadiness(server, " 503 "));
      assertThat(fence).isAfter(cut.plusSeconds(1));
      awaitRefusal(clients);
      assertThat(IdLayout.CLASSIC.parse(clients.latest()).instant())
          .isBetween(fence.minusSeconds(1), fence.minusMillis(1));

      proxy.heal();
      awaitReadiness(server, " 200 ");
      clients.awaitIds();
      IdHistory.Report report = clients.end();
      assertThat(report.duplicates()).isZero();
      assertThat(report.disorders()).isZero();
      assertThat(clients.breaks()).containsExactly(0);
    }
  }

  private static Instant fence(String problem) {
    Matcher ended = ENDED.matcher(problem);
    assertThat(ended.find()).as(problem).isTrue();
    return Instant.parse(ended.group(1));
  }

  private static void awaitRefusal(FailoverClients clients) throws InterruptedException {
    while (clients.refusals() == 0) {
      Thread.sleep(10);
    }
  }

  private static String awaitReadiness(FirnServer server, String status)
      throws InterruptedException {
    long begin = System.nanoTime();
    String answer = readiness(server);
    while (!answer.contains(status)) {
      assertThat(Duration.ofNanos(System.nanoTime() - begin))
          .as(answer)
          .isLessThan(Duration.ofSeconds(60));
      Thread.sleep(10);
      answer = readiness(server);
    }
    return answer;
  }

  private static String readiness(FirnServer server) {
    try (RawClient http = new RawClient(server.httpAddress())) {
      return http.send("GET /readyz HTTP/1.0\r\n\r\n").rest();
    }
  }
}
