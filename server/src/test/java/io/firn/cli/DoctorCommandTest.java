package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.RedisServer;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code firn doctor} on real stores. */
final class DoctorCommandTest {

  private final Session session = new Session();

  @Test
  void checksADirectory(@TempDir Path directory) {
    assertThat(session.run("doctor", "file:" + directory)).isZero();
    assertThat(session.out().lines().map(line -> line.split(" ", 2)[0]))
        .containsSubsequence(
            "store",
            "reached",
            "reads",
            "namespaces",
            "writes",
            "rights",
            "clock",
            "identity",
            "keeps",
            "calls",
            "settings",
            "No");
    assertThat(session.out())
        .containsPattern("(?m)^rights +reads, scans and writes are allowed$")
        .containsPattern("(?m)^settings +no warnings$");
    assertThat(session.err()).isEmpty();
    Session again = new Session();
    assertThat(again.run("doctor", "file:" + directory)).isZero();
  }

  @Test
  void checksRedisAndNamesTheSettingsThatLoseWrites() {
    try (RedisServer redis = RedisServer.start()) {
      String address = "redis://127.0.0.1:" + redis.port();
      assertThat(session.run("doctor", address)).isZero();
      assertThat(session.out())
          .containsPattern("(?m)^identity +[^ ]+; it changes at a restart,")
          .containsPattern("(?m)^clock +the store is [0-9]+ ms (ahead of|behind) this host")
          .contains("firn store restored");
      Session declared = new Session();
      assertThat(declared.run("doctor", address + "?may-forget=false")).isZero();
      assertThat(declared.out())
          .containsPattern("(?m)^settings +store: .* may lose acknowledged writes in a crash: ");
    }
  }

  @Test
  void saysWhyTheOutcomeOfAWriteIsUnknown() {
    try (RedisServer redis = RedisServer.start()) {
      String address = "redis://127.0.0.1:" + redis.port() + "?replicas=1&timeout=10s";
      assertThat(session.run("doctor", address)).isEqualTo(1);
      assertThat(session.out())
          .containsPattern("(?m)^rights +no write: the outcome of a write is unknown$")
          .containsPattern(
              "(?m)^settings +Store .* did not report the outcome of a write in [0-9]+ ms: The write"
                  + " was acknowledged in time by 0 of 1 replicas; ");
    }
  }

  @Test
  void saysThatAStoreIsNotThere() {
    assertThat(session.run("doctor", "redis://127.0.0.1:1")).isEqualTo(1);
    assertThat(session.err()).startsWith("firn: Store redis://127.0.0.1:1 failed after ");
  }
}
