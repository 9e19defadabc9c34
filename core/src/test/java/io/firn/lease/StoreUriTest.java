package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreUriTest {

  private static StoreUri parse(String text) {
    return StoreUri.parse(text, Map.of("SECRET", "of the environment")::get);
  }

  private static InetSocketAddress server(String host, int port) {
    return InetSocketAddress.createUnresolved(host, port);
  }

  @Test
  void hasSchemeServersPathAndParameters() {
    StoreUri uri = parse("ZooKeeper://a,b:2182,[::1]:2183/ids/x?one=1&two=a%26b%2B+&three");

    assertThat(uri.scheme()).isEqualTo("zookeeper");
    assertThat(uri.servers(2181))
        .isEqualTo(List.of(server("a", 2181), server("b", 2182), server("[::1]", 2183)));
    assertThat(uri.path()).isEqualTo("/ids/x");
    assertThat(uri.parameter("one")).contains("1");
    assertThat(uri.parameter("two")).contains("a&b++");
    assertThat(uri.parameter("three")).contains("");
    assertThat(uri.parameter("four")).isEmpty();
  }

  @Test
  void pathStandsBehindASchemeWithoutServers() {
    assertThat(parse("file:relative/dir").path()).isEqualTo("relative/dir");
    assertThat(parse("file:/a%20b").path()).isEqualTo("/a%20b");
    assertThat(parse("file:///dir").path()).isEqualTo("/dir");
    assertThat(parse("memory:").path()).isEmpty();
  }

  @Test
  void userAndPasswordStandBeforeTheServers() {
    StoreUri uri = parse("redis://us%40er:p:a@ss%2Fword@host");

    assertThat(uri.user()).contains("us@er");
    assertThat(uri.password()).contains("p:a@ss/word");
    assertThat(uri.servers(6379)).isEqualTo(List.of(server("host", 6379)));
    assertThat(parse("redis://:only@host").user()).isEmpty();
    assertThat(parse("redis://:only@host").password()).contains("only");
    assertThat(parse("redis://only@host").user()).contains("only");
    assertThat(parse("redis://only@host").password()).isEmpty();
  }

  @Test
  void passwordMayStandElsewhere(@TempDir Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("secret"), "of the file\nand more\n");

    assertThat(parse("redis://h?user=u&password=p").user()).contains("u");
    assertThat(parse("redis://h?user=u&password=p").password()).contains("p");
    assertThat(parse("redis://h?password-env=SECRET").password()).contains("of the environment");
    assertThat(parse("redis://h?password-file=" + file).password()).contains("of the file");
  }

  @Test
  void passwordThatIsNotThereIsRefused() {
    assertThatThrownBy(() -> parse("redis://h?password-env=NONE").password())
        .hasMessage("password-env: NONE (expected: an environment variable that is set)");
    assertThatThrownBy(() -> parse("redis://h?password-file=/no/such").password())
        .hasMessageStartingWith("password-file: /no/such (expected: a file to read; ");
  }

  @Test
  void fileThatAParameterNamesCanBeRead(@TempDir Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("ca.pem"), "");

    assertThat(parse("rediss://h?ca-file=" + file).file("ca-file")).contains(file);
    assertThat(parse("rediss://h").file("ca-file")).isEmpty();
    assertThatThrownBy(() -> parse("rediss://h?ca-file=/no/such").file("ca-file"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("ca-file: /no/such (expected: a file to read)");
  }

  @Test
  void secretsAreNotPrinted() {
    Map<String, String> printed =
        Map.of(
            "redis://user:pa@ss@host/0", "redis://***@host/0",
            "redis://:pass@host", "redis://***@host",
            "jdbc:mysql://root:se?cr/et@host/db", "jdbc:mysql://***@host/db",
            "jdbc:oracle:thin:scott/tiger@host:1521", "jdbc:***@host:1521",
            "jdbc:postgresql://h/db?user=u&password=x&sslpassword=y&ssl=true",
                "jdbc:postgresql://h/db?user=u&password=***&sslpassword=***&ssl=true",
            "jdbc:h2:mem:x;PASSWORD=secret;MODE=MySQL", "jdbc:h2:mem:x;PASSWORD=***;MODE=MySQL",
            "redis://h?password-env=REDIS&password-file=/run/x&token=t",
                "redis://h?password-env=REDIS&password-file=/run/x&token=***",
            "file:/a/b", "file:/a/b");

    printed.forEach((text, masked) -> assertThat(parse(text)).hasToString(masked));
  }

  @Test
  void timeoutHasALimitAndADefault() {
    assertThat(parse("redis://h").timeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(parse("redis://h?timeout=1ms").timeout()).isEqualTo(Duration.ofMillis(1));
    assertThat(parse("redis://h?timeout=60s").timeout()).isEqualTo(Duration.ofMinutes(1));
    for (String wrong : List.of("", "0s", "0ms", "61s", "60001ms", "3", "-1s", "1m", "9999999ms")) {
      assertThatThrownBy(() -> parse("redis://h?timeout=" + wrong).timeout())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("timeout: " + wrong + " (expected: 1ms..60s)");
    }
  }

  @Test
  void serversHaveAHostAndAPort() {
    assertThat(parse("redis://h:1").servers(6379)).isEqualTo(List.of(server("h", 1)));
    assertThat(parse("redis://h:65535").servers(6379)).isEqualTo(List.of(server("h", 65_535)));
    for (String wrong : List.of("", "h:0", "h:65536", "h:x", "h:", ":1", "h,", "::1", "h:123456")) {
      assertThatThrownBy(() -> parse("redis://" + wrong).servers(6379))
          .hasMessage(
              "store: redis://"
                  + wrong
                  + " (expected: HOST or HOST:PORT behind //, more of them behind commas)");
    }
    assertThatThrownBy(() -> parse("redis:h").servers(6379))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void onlyKnownParametersAreAllowed() {
    assertThat(parse("redis://h?a=1&b=2").allow("a", "b", "c").scheme()).isEqualTo("redis");
    assertThatThrownBy(() -> parse("redis://h?tiemout=1s").allow("timeout", "user"))
        .hasMessage("tiemout: in redis://h?tiemout=1s (expected: one of timeout, user)");
    assertThatThrownBy(() -> parse("file:x?a").allow())
        .hasMessage("a: in file:x?a (expected: no parameters)");
  }

  @Test
  void driversGetTheirOwnParametersOnly() {
    assertThat(parse("jdbc:x://h/d?a=1&password-env=E&b=%20").without("password-env", "timeout"))
        .isEqualTo("jdbc:x://h/d?a=1&b=%20");
    assertThat(parse("jdbc:h2:mem:x;A=1?timeout=1s").without("timeout"))
        .isEqualTo("jdbc:h2:mem:x;A=1");
    assertThat(parse("jdbc:h2:mem:x").without("timeout")).isEqualTo("jdbc:h2:mem:x");
  }

  @Test
  void textThatIsNoAddressIsRefused() {
    for (String wrong : List.of("", "dir", "/dir", ":x", "c:\\dir", "1a:x")) {
      assertThatThrownBy(() -> parse(wrong))
          .hasMessage("store: " + wrong + " (expected: SCHEME:ADDRESS, as file:DIR)");
    }
    assertThatThrownBy(() -> parse("redis://h?a=%zz"))
        .hasMessage("store: redis://h?a=%zz (expected: %XX behind every %)");
  }
}
