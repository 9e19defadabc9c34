package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
  void pathFollowsASchemeWithoutServers() {
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
        .hasMessage("password-file: /no/such (expected: a file to read; none is there)");
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
            "jdbc:oracle:thin:scott/tiger@host:1521", "jdbc:oracle:***@host:1521",
            "jdbc:postgresql://h/db?user=u&password=x&sslpassword=y&ssl=true",
                "jdbc:postgresql://h/db?user=u&password=***&sslpassword=***&ssl=true",
            "jdbc:h2:mem:x;PASSWORD=secret;MODE=MySQL", "jdbc:h2:mem:x;PASSWORD=***;MODE=MySQL",
            "redis://h?password-env=REDIS&token=t", "redis://h?password-env=REDIS&token=***",
            "redis://h?password-file=/run/x&secret=s", "redis://h?password-file=/run/x&secret=***",
            "redis://h?%70assword=geheim", "redis://h?%70assword=***",
            "redis://h?password=ge&heim&key=k", "redis://h?password=***&key=k");

    printed.forEach((text, masked) -> assertThat(parse(text)).hasToString(masked));
  }

  @Test
  void ofAJdbcAddressOnlyKnownParametersArePrinted() {
    Map<String, String> printed =
        Map.of(
            "jdbc:oracle:thin:scott/tiger@//h/x", "jdbc:oracle:***@//h/x",
            "jdbc:mysql://(host=a,user=u,password=p)/d",
                "jdbc:mysql://(host=a,user=u,password=***)/d",
            "jdbc:mysql://address=(host=a)(port=1)(password=p)/d",
                "jdbc:mysql://address=(host=a)(port=1)(password=***)/d",
            "jdbc:sqlserver://h;databaseName=d;user=u;password={a;b=c};encrypt=true",
                "jdbc:sqlserver://h;databaseName=d;user=u;password=***;b=***;encrypt=true",
            "jdbc:x://h/d?apiKey=k&pass=p&phrase=x&sslmode=require",
                "jdbc:x://h/d?apiKey=***&pass=***&phrase=***&sslmode=require",
            "jdbc:x://h/d?password=a,user=b(c=d", "jdbc:x://h/d?password=***",
            "redis://h?key=k&replicas=1", "redis://h?key=k&replicas=1",
            "file:/a/b", "file:/a/b");

    printed.forEach((text, masked) -> assertThat(parse(text)).hasToString(masked));
  }

  /** A password may hold what else ends it. */
  @Test
  void aParameterInParenthesesIsHiddenToItsEnd() {
    Map<String, String> printed =
        Map.of(
            "jdbc:mysql://(host=a,password=p,q,user=u)/d?ddl=false",
                "jdbc:mysql://(host=a,password=***,user=u)/d?ddl=false",
            "jdbc:mysql://(host=a)(password=p)q(r)(user=u)/d",
                "jdbc:mysql://(host=a)(password=***)(user=u)/d",
            "jdbc:mysql://(password=p)q,r)", "jdbc:mysql://(password=***)",
            "jdbc:mysql://(password=p)q/r)/d", "jdbc:mysql://(password=***)/d",
            "jdbc:mysql://(user=u,password=p]/q)/d", "jdbc:mysql://(user=u,password=***)/d",
            "jdbc:mysql://(password=p)/q)?a=b)/d", "jdbc:mysql://(password=***)?a=***",
            "jdbc:mysql://(password=p,q", "jdbc:mysql://(password=***");

    printed.forEach((text, masked) -> assertThat(parse(text)).hasToString(masked));
  }

  /** A parameter that no store has may be a secret whose name is mistyped. */
  @Test
  void valueOfAnUnknownParameterIsNotPrinted() {
    assertThat(parse("redis://h?pasword=abc")).hasToString("redis://h?pasword=***");
    assertThat(parse("http://h:4318/v1?apikey=abc")).hasToString("http://h:4318/v1?apikey=***");
    String all =
        "redis://h?acl=a&allow-counters=b&allow-eviction=c&ca-file=d&cert-file=e&cluster=f&ddl=g"
            + "&key=h&key-file=i&may-forget=j&password-env=k&replicas=m"
            + "&sentinel-password-env=o&sentinel-password-file=p&sentinel-user=q"
            + "&table=r&timeout=s&user=t";
    assertThat(parse(all)).hasToString(all);
  }

  /** Where it ends cannot be told from a user and a password before the host. */
  @Test
  void anAtInAParameterHidesAllThatMayBeSecret() {
    Map<String, String> printed =
        Map.of(
            "jdbc:postgresql://h:1/db?user=bob&password=SEC@RET", "jdbc:postgresql://***",
            "redis://h:1?password=SEC@R@ET", "redis://***",
            "zookeeper://h:1/x?auth=u:SEC@RET", "zookeeper://***",
            "jdbc:h2:tcp://h:1/x;USER=a;PASSWORD=SEC@RET", "jdbc:h2:tcp://***",
            "jdbc:h2:/t/x;PASSWORD=SEC@RET", "jdbc:h2:***",
            "jdbc:mysql://(host=a,user=u,password=SEC@RET)/d", "jdbc:mysql://***",
            "redis://u:p@h?key=a@b", "redis://***",
            "redis://u:abc==@h:1", "redis://***@h:1");
    printed.forEach((text, masked) -> assertThat(StoreUri.hide(text)).isEqualTo(masked));
  }

  @Test
  void passwordWithoutItsHostIsNotPrinted() {
    Map<String, String> printed =
        Map.of(
            "redis://u:secret", "redis://u:***",
            "redis://:secret", "redis://:***",
            "redis://u:sec/ret?key=k", "redis://u:***?key=k",
            "redis://h:6379,u:sec,ret", "redis://h:6379,u:***",
            "redis://h:6379,[::1]:6379,i/0", "redis://h:6379,[::1]:6379,i/0",
            "redis://[::1]", "redis://[::1]",
            "jdbc:postgresql://u:secret/x", "jdbc:postgresql://u:***",
            "jdbc:sqlserver://h:1433;databaseName=d", "jdbc:sqlserver://h:1433;databaseName=d");
    printed.forEach((text, masked) -> assertThat(StoreUri.hide(text)).isEqualTo(masked));
  }

  /** Names are compared in any case, where a long s is an s. */
  @Test
  void valueOfANameThatIsNotAsciiIsNotPrinted() {
    StoreUri uri = parse("redis://h?pa\u017f\u017fword=geheim");
    assertThat(uri.password()).contains("geheim");
    assertThat(uri).hasToString("redis://h?pa\u017f\u017fword=***");
  }

  @Test
  void parameterThatMayBePartOfAPasswordIsNotNamed() {
    String encode = "in a user or password %3F for ? and %26 for &";
    assertThatThrownBy(() -> parse("redis://app:ge?heim@h:6379").allow("key"))
        .hasMessage("store: redis://***@h:6379 (expected: one of key; " + encode + ")");
    assertThatThrownBy(() -> parse("redis://app:a?heim&heim&b@h"))
        .hasMessage("store: redis://***@h (expected: each parameter once; " + encode + ")");
    assertThatThrownBy(() -> parse("redis://h?password=ge&heim").allowForServers())
        .hasMessageStartingWith("store: redis://h?password=*** (expected: one of ")
        .hasMessageEndingWith("; " + encode + ")");
    assertThatThrownBy(() -> parse("redis://app:geheim@h?kee=k").allow("key"))
        .hasMessage("kee: in redis://***@h?kee=*** (expected: one of key)");
  }

  @Test
  void parameterGivenTwiceIsRefused() {
    assertThatThrownBy(() -> parse("redis://h?key=a&timeout=1s&key=b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "key: twice in redis://h?key=a&timeout=1s&key=b (expected: each parameter once)");
    assertThatThrownBy(() -> parse("redis://h?ke%79=a&key=a"))
        .hasMessageStartingWith("key: twice in ");
    assertThatThrownBy(() -> parse("jdbc:mariadb://h/d?useSSL=true&USESSL=false"))
        .hasMessageStartingWith("USESSL: twice in ");
  }

  @Test
  void passwordGivenInTwoWaysIsRefused() {
    for (String address :
        List.of(
            "redis://u:a@h?password=b",
            "redis://u:a@h?password-env=SECRET",
            "redis://h?password=a&password-file=/x",
            "jdbc:mariadb://h/d?password=a&PASSWORD-FILE=/x",
            "redis://h?password-env=SECRET&password-file=/x")) {
      assertThatThrownBy(() -> parse(address))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageEndingWith(
              " (expected: one password, before the servers or as one parameter)");
    }
    assertThatThrownBy(() -> parse("redis://u@h?user=v"))
        .hasMessage(
            "store: redis://***@h?user=v (expected: one user, before the servers or as one"
                + " parameter)");
  }

  @Test
  void secretIsReadAgainAtEachCall(@TempDir Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("secret"), "old\n");
    StoreUri uri = parse("redis://h?password-file=" + file);
    assertThat(uri.password()).contains("old");

    Files.writeString(file, "new\n");

    assertThat(uri.password()).contains("new");
  }

  @Test
  void otherSecretsAreReadLikeThePassword() {
    assertThat(parse("redis://h?sentinel-password=s").secret("sentinel-password")).contains("s");
    assertThat(parse("redis://h?s-env=SECRET").secret("s")).contains("of the environment");
    assertThat(parse("redis://h").secret("s")).isEmpty();
    assertThatThrownBy(() -> parse("redis://h?s=a&s-env=SECRET").secret("s"))
        .hasMessageEndingWith("(expected: one s, as one parameter)");
  }

  @Test
  void flagIsTrueOrFalse() {
    assertThat(parse("xs://h?f=true").flag("f", false)).isTrue();
    assertThat(parse("xs://h?f=false").flag("f", true)).isFalse();
    assertThat(parse("xs://h").flag("f", true)).isTrue();
    for (String wrong : List.of("", "yes", "TRUE", "1")) {
      assertThatThrownBy(() -> parse("xs://h?f=" + wrong).flag("f", true))
          .hasMessage("f: " + wrong + " (expected: true or false)");
    }
  }

  @Test
  void filesOfTlsNeedTls(@TempDir Path dir) throws Exception {
    Path file = Files.writeString(dir.resolve("a.pem"), "");
    StoreUri uri = parse("xs://h?cert-file=" + file);

    assertThat(TlsFiles.of(uri, true))
        .isEqualTo(new TlsFiles(Optional.empty(), Optional.of(file), Optional.empty()));
    assertThat(TlsFiles.of(parse("xs://h"), false))
        .isEqualTo(new TlsFiles(Optional.empty(), Optional.empty(), Optional.empty()));
    assertThatThrownBy(() -> TlsFiles.of(uri, false))
        .hasMessage("store: " + uri + " (expected: ca-file, cert-file and key-file with TLS only)");
    assertThatThrownBy(() -> TlsFiles.of(uri, true).requireKey(uri))
        .hasMessage("store: " + uri + " (expected: cert-file and key-file together)");
  }

  @Test
  void storesWithServersTakeUserPasswordAndTimeout() {
    assertThat(parse("xs://h?user=u&password=p&timeout=1s&key=k").allowForServers("key"))
        .hasToString("xs://h?user=u&password=***&timeout=1s&key=k");
    assertThatThrownBy(() -> parse("xs://h?kee=k").allowForServers("key"))
        .hasMessage(
            "kee: in xs://h?kee=*** (expected: one of key, timeout, user, password, password-env,"
                + " password-file)");
  }

  @Test
  void timeoutHasALimitAndADefault() {
    assertThat(parse("redis://h").timeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(parse("redis://h?timeout=1ms").timeout()).isEqualTo(Duration.ofMillis(1));
    assertThat(parse("redis://h?timeout=60s").timeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(parse("redis://h?timeout=1m").timeout()).isEqualTo(Duration.ofMinutes(1));
    for (String wrong : List.of("", "0s", "0ms", "61s", "60001ms", "3", "-1s", "2m", "9999999ms")) {
      assertThatThrownBy(() -> parse("redis://h?timeout=" + wrong).timeout())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("timeout: " + wrong + " (expected: 1ms..1m)");
    }
  }

  @Test
  void serversHaveAHostAndAPort() {
    assertThat(parse("redis://h:1").servers(6379)).isEqualTo(List.of(server("h", 1)));
    assertThat(parse("redis://h:65535").servers(6379)).isEqualTo(List.of(server("h", 65_535)));
    for (String wrong : List.of("", "h:0", "h:65536", "h:x", "h:", ":1", "h,", "::1", "h:123456")) {
      assertThatThrownBy(() -> parse("redis://" + wrong).servers(6379))
          .hasMessage(
              "store: "
                  + StoreUri.hide("redis://" + wrong)
                  + " (expected: HOST or HOST:PORT after //, separated by commas)");
    }
    assertThatThrownBy(() -> parse("redis:h").servers(6379))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void onlyKnownParametersAreAllowed() {
    assertThat(parse("redis://h?a=1&b=2").allow("a", "b", "c").scheme()).isEqualTo("redis");
    assertThatThrownBy(() -> parse("redis://h?tiemout=1s").allow("timeout", "user"))
        .hasMessage("tiemout: in redis://h?tiemout=*** (expected: one of timeout, user)");
    assertThatThrownBy(() -> parse("file:x?a").allow())
        .hasMessage("a: in file:x?a (expected: no parameters)");
  }

  @Test
  void numbersHaveBounds() {
    assertThat(parse("redis://h").number("replicas", 0, 99, 7)).isEqualTo(7);
    assertThat(parse("redis://h?replicas=0").number("replicas", 0, 99, 7)).isZero();
    assertThat(parse("redis://h?replicas=99").number("replicas", 0, 99, 7)).isEqualTo(99);
    for (String wrong : List.of("", "-1", "100", "1.5", "1234567890")) {
      assertThatThrownBy(() -> parse("redis://h?replicas=" + wrong).number("replicas", 0, 99, 7))
          .hasMessage("replicas: " + wrong + " (expected: 0..99)");
    }
  }

  @Test
  void driversGetTheirOwnParametersOnly() {
    assertThat(parse("jdbc:x://h/d?a=1&password-env=E&b=%20").without("password-env", "timeout"))
        .isEqualTo("jdbc:x://h/d?a=1&b=%20");
    assertThat(parse("jdbc:x://h/d?a=1&PASSWORD=p").without("password"))
        .isEqualTo("jdbc:x://h/d?a=1");
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
        .hasMessage("store: redis://h?a=*** (expected: two hex digits after every %)");
  }
}
