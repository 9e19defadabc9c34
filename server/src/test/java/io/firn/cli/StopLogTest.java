package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.testservers.FirnServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
}
