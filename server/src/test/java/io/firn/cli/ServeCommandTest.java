package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of the command without serving; {@link ServeProcessTest} has the others. */
final class ServeCommandTest {

  private final Session session = new Session();

  @TempDir private Path directory;

  @Test
  void printsItsConfigurationWithWhereEachValueWasSet() throws Exception {
    Path file = Files.writeString(directory.resolve("firn.yaml"), "limits:\n  count: 50\n");
    session.environment(Map.of("FIRN_GRACE", "2s"));
    assertThat(
            session.run(
                "serve",
                "--print-config",
                "--config",
                file.toString(),
                "--on-demand",
                "--insecure"))
        .isZero();
    assertThat(session.err()).isEmpty();
    assertThat(session.out())
        .startsWith("listen:\n  admin: off ")
        .containsPattern("\nstore: file:pom.xml/state +# default\n")
        .containsPattern("\non-demand: on +# --on-demand\n")
        .containsPattern("\ninsecure: on +# --insecure\n")
        .containsPattern("\ngrace: 2s +# FIRN_GRACE\n")
        .containsPattern("\n  count: 50 +# firn.yaml line 2\n");
  }

  @Test
  void refusesAMistakeInTheFile() throws Exception {
    Path file = Files.writeString(directory.resolve("firn.yaml"), "limits:\n  cuont: 50\n");
    assertThat(session.run("serve", "--config", file.toString())).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: limits.cuont: unknown (expected: count; firn.yaml line 2)
            Try: firn serve --help
            """);
  }

  @ParameterizedTest
  @CsvSource({
    "--config=%s, config: %s (expected: a file to read; %s)",
    "--token-file=%s, token file: %s (expected: a file to read; %s; --token-file)",
    "--store=redis://h?password-file=%s, password-file: %s (expected: a file to read; %s)",
  })
  void saysInWordsWhyAFileIsNotRead(String option, String message) throws IOException {
    Path binary = Files.write(directory.resolve("binary"), new byte[] {(byte) 0xff, (byte) 0xfe});
    Map<Path, String> reasons =
        Map.of(
            directory.resolve("none"),
            "none is there",
            binary,
            "it is no text in UTF-8",
            directory,
            "Is a directory");
    for (Map.Entry<Path, String> reason : reasons.entrySet()) {
      Session each = new Session();
      Path file = reason.getKey();
      assertThat(each.run("serve", "--insecure", option.formatted(file))).isEqualTo(2);
      assertThat(each.err())
          .startsWith("firn: " + message.formatted(file, reason.getValue()) + "\n");
    }
  }

  @Test
  void refusesAFlagThatIsNoSetting() {
    assertThat(session.run("serve", "--limit-count", "5")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: option: --limit-count (expected: --limits-count)
            Try: firn serve --help
            """);
  }

  @Test
  void namesTheFlagOfAllNamespacesForASettingOfOne() {
    assertThat(session.run("serve", "--max-wait", "5s")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: option: --max-wait (expected: --defaults-max-wait)
            Try: firn serve --help
            """);
  }

  @Test
  void hasNoFlagForASecret() {
    assertThat(session.run("serve", "--token", "0123456789abcdef")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: option: --token (expected: --token-file)
            Try: firn serve --help
            """);
  }

  @Test
  void saysWhyItCannotServe() {
    assertThat(session.run("serve", "--store", "nowhere:x")).isEqualTo(2);
    assertThat(session.err()).startsWith("firn: store: nowhere:x (expected: one of file:DIR, ");
  }

  /** Nobody answers at that port, and nobody is asked. */
  @Test
  @Timeout(60)
  void refusesAWindowThatIsTooShortForTheStore() {
    String store = "redis://127.0.0.1:1?timeout=3s";
    assertThat(session.run("serve", "--store", store, "--defaults-window", "5s")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: timeout: 3000 ms for a call to redis://127.0.0.1:1?timeout=3s (expected: at most \
            half of the window of 5000 ms)
            Try: firn serve --help
            """);
  }

  /** A server that started would never be ready. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          layout: baidu | layout: 28t+22w+13s@2016-05-19T16:00:00Z/1s (expected: a layout that has
          layout: '38t+10w+12s@2020-01-01T00:00:00Z/1ms' | layout: 38t+10w+12s@2020-01-01T00:00:00Z/1ms (expected: ten years left or allow-under-ten-years,
          layout: '32t+10w+12s@2020-01-01T00:00:00Z/1s', window: 500ms | window: 500ms (expected: at least 8 ticks
          max-lead: 16s | max-lead: 16s (expected: at most half
          clock-policy: baidu(16s) | max-lead: 16s (expected: at most half
          sequence-start: random(4097) | sequence-start: random(4097) (expected: a bound
          next-layout: classic | next-layout: 41t+10w+12s@2026-01-01T00:00:00Z/1ms (expected: another
          type: segment, source: 'nowhere:x' | namespaces.orders.source: nowhere:x (expected: one of
          type: segment, source: 'redis://127.0.0.1:1' | namespaces.orders.source: redis://127.0.0.1:1 may forget (expected:
          """)
  void refusesSettingsOfANamespaceThatCouldNeverOpen(
      String settings, String message, @TempDir Path folder) throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("firn.yaml"), "namespaces: {orders: {" + settings + "}}\n");
    int code =
        session.run(
            "serve",
            "--check",
            "--store=memory:",
            "--config=" + config,
            "--listen-http=127.0.0.1:0",
            "--listen-redis=off",
            "--listen-thrift=off");
    assertThat(session.err()).startsWith("firn: " + message);
    assertThat(code).isEqualTo(2);
  }

  /** Its requests would have no certificate. */
  @Test
  void checksNoServerWhoseClientsNeedCertificates() throws Exception {
    assertThat(
            session.run(
                "serve",
                "--check",
                "--store=memory:",
                "--tls-certificate=/certificate",
                "--tls-key=/key",
                "--tls-client-ca=/authorities"))
        .isEqualTo(2);
    assertThat(session.err())
        .startsWith(
            "firn: tls.client-ca: /authorities (expected: none with --check, which has no"
                + " certificate: check a copy of the configuration without it)\n");
  }

  /** A server that runs tries again, because its clock may be set later. */
  @Test
  void refusesInACheckWhatTheClockRefuses() {
    assertThat(
            session.run(
                "serve",
                "--check",
                "--store",
                "memory:",
                "--listen-http",
                "127.0.0.1:0",
                "--listen-redis",
                "off",
                "--listen-thrift",
                "off",
                "--defaults-layout",
                "41t+10w+12s@2090-01-01T00:00:00Z/1ms"))
        .isEqualTo(2);
    assertThat(session.err()).startsWith("firn: epoch: ").endsWith(")\nTry: firn serve --help\n");
  }

  @Test
  void refusesToPrintTheConfigurationInPlaceOfACheck() {
    assertThat(session.run("serve", "--check", "--print-config", "--store=memory:")).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: option: --check (expected: not with --print-config)\n");
    assertThat(session.out()).isEmpty();
  }
}
