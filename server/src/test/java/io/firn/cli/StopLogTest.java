package io.firn.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.testservers.FirnServer;
import io.firn.testservers.RedisServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of what a server logs while it stops, which the end of its process must not prevent. */
@Timeout(180)
final class StopLogTest {

  private static String logOfStop(String store, int exitCode) throws Exception {
    try (FirnServer server = FirnServer.start("--store=" + store, "--grace=1s")) {
      assertThat(server.stop()).isEqualTo(exitCode);
      return server.output();
    }
  }

  @Test
  void aStepThatFailsIsLogged() throws Exception {
    assertThat(logOfStop("unclosable:fails", 1))
        .containsOnlyOnce(
            """
            Z SEVERE io.firn.server A step of the stop failed; the others are taken
            java.lang.IllegalStateException: the store cannot be closed
            """);
  }

  @Test
  void aStopThatHangsIsLogged() throws Exception {
    assertThat(logOfStop("unclosable:hangs", 1))
        .containsOnlyOnce(
            "Z SEVERE io.firn.server The server did not stop within its grace; what is left is cut"
                + " off\n");
  }

  @Test
  void aWorkerIdThatIsNotGivenBackIsLogged() throws Exception {
    try (FirnServer server = FirnServer.start("--store=memory:", "--grace=100ms");
        RawClient client = new RawClient(server.address())) {
      assertThat(client.send("NEXT default SCOPE 60000\r\n").line()).isEqualTo("*2");
      assertThat(server.stop()).isZero();
      assertThat(server.output())
          .containsOnlyOnce(
              "Z WARNING io.firn.server worker ID of namespace default not released: scopes of"
                  + " clients are open, and their rows may still be committed\n");
    }
  }

  @Test
  void aStoreThatHangsTakesAFewLinesHoweverManyWorkerIdsAreLeased(@TempDir Path folder)
      throws Exception {
    String names = IntStream.range(0, 40).mapToObj(i -> "n" + i + ": ").collect(joining(", "));
    Path config =
        Files.writeString(
            folder.resolve("firn.yaml"),
            "{on-demand: off, grace: 1s, namespaces: {" + names + "}}");
    try (RedisServer redis = RedisServer.start();
        FirnServer server =
            FirnServer.start(
                "--store=redis://127.0.0.1:" + redis.port() + "?may-forget=false",
                "--config=" + config)) {
      awaitReady(server);
      redis.pause();
      int before = server.output().length();
      assertThat(server.stop()).isZero();
      String log = server.output().substring(before);
      assertThat(log)
          .doesNotContain("\tat ", "close it after its generators")
          .containsPattern(
              "Z WARNING io\\.firn\\.server The grace ended before [0-9]+ of 40 namespaces were"
                  + " closed; ");
      assertThat(log.lines().count()).as(log).isLessThan(15);
    }
  }

  private static void awaitReady(FirnServer server) throws Exception {
    URI ready = URI.create("http://127.0.0.1:" + server.httpAddress().getPort() + "/readyz");
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest request = HttpRequest.newBuilder(ready).build();
    while (client.send(request, BodyHandlers.discarding()).statusCode() != 200) {
      Thread.sleep(50);
    }
  }
}
