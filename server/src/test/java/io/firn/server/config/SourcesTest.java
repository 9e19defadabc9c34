package io.firn.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.tuple;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.integration.GeneratorSettings;
import io.firn.lease.AfterLoss;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SourcesTest {

  private static final String SECRET = "0123456789abcdef";

  @TempDir private Path directory;

  private final Map<String, String> flags = new HashMap<>();
  private final Map<String, String> environment = new HashMap<>();

  private Sources sources() {
    return Sources.of(flags, environment, "file:/state");
  }

  private ServerConfig config() {
    return sources().read();
  }

  private void yaml(String text) throws Exception {
    flags.put("--config", Files.writeString(directory.resolve("firn.yaml"), text).toString());
  }

  @Test
  void hasADefaultForeverything() {
    ServerConfig config = config();
    assertThat(config.listen())
        .hasToString("{http=/127.0.0.1:7608, redis=/127.0.0.1:7606, thrift=/127.0.0.1:7609}");
    assertThat(config.store()).isEqualTo("file:/state");
    assertThat(config.namespaces()).isEmpty();
    assertThat(config.required()).containsExactly("default");
    assertThat(config.onDemand()).isTrue();
    assertThat(config.tokens()).isEmpty();
    assertThat(config.tls()).isEmpty();
    assertThat(config.legacy().routes()).isFalse();
    assertThat(config.grace()).isEqualTo(Duration.ofSeconds(5));
    assertThat(config.limits())
        .isEqualTo(
            new Limits(
                10_000,
                OptionalInt.empty(),
                Optional.empty(),
                65_536,
                Duration.ofSeconds(10),
                10_000,
                1024,
                Duration.ofMinutes(10),
                OptionalInt.empty(),
                256));
    assertThat(config.defaults())
        .isEqualTo(
            new SnowflakeConfig(
                settings(
                    Map.of(
                        "layout",
                        IdLayout.CLASSIC,
                        "window",
                        Duration.ofSeconds(30),
                        "max-lead",
                        Duration.ZERO,
                        "max-wait",
                        Duration.ofMillis(5),
                        "sequence-start",
                        SequenceStart.CONTINUE,
                        "allow-under-ten-years",
                        false))));
  }

  private static GeneratorSettings settings(Map<String, ?> values) {
    return GeneratorSettings.of(setting -> values.get(setting.key()));
  }

  @Test
  void takesAFlagBeforeAVariableBeforeTheFileBeforeTheDefault() throws Exception {
    yaml("limits: {count: 3, pipeline: 3, idle: 3s}");
    environment.put("FIRN_LIMITS_COUNT", "2");
    environment.put("FIRN_LIMITS_PIPELINE", "2");
    flags.put("--limits-count", "1");
    Limits limits = config().limits();
    assertThat(limits.count()).isEqualTo(1);
    assertThat(limits.pipeline()).isEqualTo(2);
    assertThat(limits.idle()).isEqualTo(Duration.ofSeconds(3));
    assertThat(sources().toString())
        .containsPattern("  count: 1 +# --limits-count\n")
        .containsPattern("  pipeline: 2 +# FIRN_LIMITS_PIPELINE\n")
        .containsPattern("  idle: 3s +# firn.yaml line 1\n")
        .containsPattern("  namespaces: 256 +# default\n");
  }

  @Test
  void findsItsFileByAVariableToo() throws Exception {
    yaml("grace: 1s");
    environment.put("FIRN_CONFIG", flags.remove("--config"));
    assertThat(config().grace()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void refusesAFileThatIsNotThere() {
    flags.put("--config", "/nowhere/firn.yaml");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage("config: /nowhere/firn.yaml (expected: a file to read; none is there)");
  }

  @Test
  void readsNamespacesWithWhatTheyInherit() throws Exception {
    yaml(
        """
        defaults:
          layout: twitter
          max-wait: 7ms
        namespaces:
          orders:
            datacenter: 3
            worker: 4
            window: 1m
            acquire-timeout: 3s
            max-clock-skew: 4s
            max-split: 5s
            after-loss: wait
            settle-time: 2m
            next-layout: region
            sequence-start: random(100)
          plain: {worker: lease}
          with.dot: {layout: discord}
          counted:
            type: segment
            step: 500
            source: 'jdbc:h2:/tmp/x?password=secret'
        """);
    ServerConfig config = config();
    assertThat(config.required()).containsExactly("counted", "orders", "plain", "with.dot");
    SnowflakeConfig orders = (SnowflakeConfig) config.namespaces().get("orders");
    assertThat(orders.layout()).isEqualTo(IdLayout.TWITTER);
    assertThat(orders.settings().nextLayout()).isEqualTo(IdLayout.REGION);
    assertThat(orders.window()).isEqualTo(Duration.ofMinutes(1));
    assertThat(orders.settings().acquireTimeout()).isEqualTo(Duration.ofSeconds(3));
    assertThat(orders.settings().maxClockSkew()).isEqualTo(Duration.ofSeconds(4));
    assertThat(orders.settings().maxSplit()).isEqualTo(Duration.ofSeconds(5));
    assertThat(orders.settings().afterLoss()).isEqualTo(AfterLoss.WAIT);
    assertThat(orders.settings().settleTime()).isEqualTo(Duration.ofMinutes(2));
    assertThat(orders.settings().maxWait()).isEqualTo(Duration.ofMillis(7));
    assertThat(orders.settings().sequenceStart()).hasToString("random(100)");
    assertThat(orders.settings().pinnedWorker()).hasValue(3 * 32 + 4);
    assertThat(((SnowflakeConfig) config.namespaces().get("plain")).settings().pinnedWorker())
        .isEmpty();
    SnowflakeConfig dotted = (SnowflakeConfig) config.namespace("with.dot").orElseThrow();
    assertThat(dotted.layout()).isEqualTo(IdLayout.DISCORD);
    assertThat(config.namespace("other")).contains(config.defaults());
    assertThat(config.namespaces().get("counted"))
        .isEqualTo(
            new SegmentConfig(
                OptionalLong.of(500),
                Optional.of("jdbc:h2:/tmp/x?password=secret"),
                Optional.empty(),
                Duration.ofSeconds(2)));
    assertThat(sources().toString())
        .contains("namespaces:\n  counted:\n")
        .containsPattern("    layout: twitter +# firn.yaml line 2\n")
        .containsPattern("    source: 'jdbc:h2:/tmp/x\\?password=\\*\\*\\*' +# firn.yaml line 21\n")
        .doesNotContain("secret");
  }

  @Test
  void inheritsAClockPolicyOrWhatItSets() throws Exception {
    yaml(
        """
        defaults: {clock-policy: leaf}
        namespaces:
          plain: {}
          other: {clock-policy: 'baidu(1s)'}
          own: {max-lead: 7ms}
        """);
    assertThat(config().defaults().settings().clockPolicy()).isEqualTo(ClockPolicy.LEAF);
    assertThat(config().defaults().settings().maxWait()).isNull();
    assertThat(config().namespaces().get("plain")).isEqualTo(config().defaults());
    GeneratorSettings other = generator("other");
    assertThat(other.clockPolicy()).isEqualTo(ClockPolicy.baidu(Duration.ofSeconds(1)));
    assertThat(other.maxLead()).isNull();
    GeneratorSettings own = generator("own");
    assertThat(own.clockPolicy()).isNull();
    assertThat(own.maxLead()).isEqualTo(Duration.ofMillis(7));
    yaml("namespaces: {orders: {clock-policy: twitter}}");
    assertThat(generator("orders").clockPolicy()).isEqualTo(ClockPolicy.TWITTER);
    assertThat(generator("orders").maxWait()).isNull();
    assertThat(config().defaults().settings().maxWait()).isEqualTo(Duration.ofMillis(5));
  }

  @Test
  void inheritsTheNextLayoutUnlessItHasItsOwnLayout() throws Exception {
    yaml(
        """
        defaults: {layout: leaf, next-layout: classic}
        namespaces:
          plain: {}
          own: {layout: twitter}
          both: {layout: twitter, next-layout: region}
        """);
    assertThat(generator("plain").nextLayout()).isEqualTo(IdLayout.CLASSIC);
    assertThat(generator("own").nextLayout()).isNull();
    assertThat(generator("both").nextLayout()).isEqualTo(IdLayout.REGION);
    assertThat(sources().toString()).containsPattern("    next-layout: region +# firn.yaml line 5");
  }

  private GeneratorSettings generator(String namespace) {
    return ((SnowflakeConfig) config().namespaces().get(namespace)).settings();
  }

  @Test
  void opensNothingOnDemandWhereThatIsOff() throws Exception {
    yaml("on-demand: off\nnamespaces: {orders: {}}");
    assertThat(config().namespace("orders")).isPresent();
    assertThat(config().namespace("other")).isEmpty();
  }

  @Test
  void readsTokensFromFilesAndVariablesAndPrintsNone() throws Exception {
    Path file = Files.writeString(directory.resolve("token"), SECRET + "-file\n");
    yaml(
        """
        tokens:
          ops: {file: %s}
          billing: {env: BILLING, namespaces: [orders, refunds]}
        """
            .formatted(file));
    environment.put("BILLING", SECRET + "-env");
    environment.put("FIRN_TOKEN", SECRET + "-own");
    List<TokenConfig> tokens = config().tokens();
    assertThat(tokens)
        .extracting(TokenConfig::name, TokenConfig::secret, TokenConfig::namespaces)
        .containsExactly(
            tuple("default", SECRET + "-own", List.of("*")),
            tuple("billing", SECRET + "-env", List.of("orders", "refunds")),
            tuple("ops", SECRET + "-file", List.of("*")));
    assertThat(config().toString()).doesNotContain(SECRET);
    assertThat(sources().toString())
        .containsPattern("\n# token: '\\*\\*\\*' +# FIRN_TOKEN\n")
        .doesNotContain(SECRET);
  }

  @Test
  void printsWhatItCanReadAgain() throws Exception {
    yaml(
        "namespaces: {a: {layout: 41t+10w+12s@2026-01-01T00:00:00Z/1ms}, b.c: }\non-demand: 'off'");
    ServerConfig config = config();
    yaml(sources().toString());
    assertThat(config()).isEqualTo(config);
  }

  /** In time that grows with their number, and not with its square. */
  @Test
  @Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void printsThousandsOfNamespaces() throws Exception {
    yaml(
        IntStream.range(0, 4_000)
            .mapToObj(number -> "  n" + number + ":\n")
            .collect(Collectors.joining("", "limits: {namespaces: 4000}\nnamespaces:\n", "")));
    assertThat(sources().toString()).contains("  n0:\n", "  n3999:\n    allow-under-ten-years");
  }

  @Test
  void refusesAnEmptyNameOfTheFile() {
    environment.put("FIRN_CONFIG", "");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage("config: empty (expected: the name of a YAML file; FIRN_CONFIG)");
    flags.put("--config", "");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage("config: empty (expected: the name of a YAML file; --config)");
  }

  @Test
  void refusesAnInstanceThatALeaseRefuses() {
    for (String wrong : List.of("a\nb", "\u001b[1m", "a b", "")) {
      flags.put("--instance", wrong);
      assertThatIllegalArgumentException()
          .isThrownBy(this::config)
          .withMessage(
              "instance: " + wrong + " (expected: 1..100 visible ASCII characters; --instance)");
    }
  }

  @Test
  void printsNoSecretOfTheCollectorsUrl() throws Exception {
    yaml("otlp: {url: 'https://h:4318/v1/metrics?apikey=abc'}");
    assertThat(config().otlp().orElseThrow().url()).endsWith("?apikey=abc");
    assertThat(sources().toString()).contains("url: 'https://h:4318/v1/metrics?apikey=***'");
  }

  @Test
  void printsWhatItCanReadAgainWhereAVariableHasTheToken() throws Exception {
    environment.put("FIRN_TOKEN", SECRET);
    ServerConfig config = config();
    yaml(sources().toString());
    assertThat(config().tokens()).isEqualTo(config.tokens()).hasSize(1);
  }

  @Test
  void refusesTheDefaultStoreBeyondLoopback() throws Exception {
    Map<String, String> open = Map.of("--listen-redis", ":7606", "--insecure", "on");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Sources.of(open, Map.of(), "file:/state").read())
        .withMessage(
            "store: file:/state (expected: set, because servers with stores of their own repeat"
                + " each other's IDs; if this is the only one, add store: file:/state; set by default)");
    Map<String, String> set = new HashMap<>(open);
    set.put("--store", "file:/state");
    assertThat(Sources.of(set, Map.of(), "file:/state").read().store()).isEqualTo("file:/state");
  }

  @Test
  void isReadyWithoutANamespaceThatIsNotRequired() throws Exception {
    yaml("namespaces: {orders: , invoices: {type: segment, required: 'off'}}");
    assertThat(config().required()).containsExactly("orders");
    assertThat(config().permanent()).containsExactly("invoices", "orders");
  }

  @Test
  void servesOnlyWhatIsConfiguredBeyondLoopbackUnlessOnDemandIsOn() throws Exception {
    flags.put("--store", "memory:");
    yaml("listen: {redis: ':7606'}\ninsecure: on\nnamespaces: {orders: }");
    assertThat(config().namespace("orders")).isPresent();
    assertThat(config().namespace("other")).isEmpty();
    yaml("listen: {redis: ':7606'}\ninsecure: on");
    assertThat(config().namespace("default")).isPresent();
    assertThat(config().namespace("other")).isEmpty();
    yaml("listen: {redis: ':7606'}\ninsecure: on\non-demand: on");
    assertThat(config().namespace("other")).isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "limits: {cuont: 5}|limits.cuont: unknown (expected: count; firn.yaml line 1)",
        "limts: {count: 5}|limts: unknown (expected: limits; firn.yaml line 1)",
        "token: abc|token: unknown (expected: tokens; firn.yaml line 1)",
        "leaf.source: 'leaf:jdbc:h2:x'|leaf.source: unknown (expected: source below leaf; firn.yaml"
            + " line 1)",
        "limits.cuont: 5|limits.cuont: unknown (expected: count below limits; firn.yaml line 1)",
        "tokens:|tokens: nothing (expected: a name below it, or {}; firn.yaml line 1)",
        "namespaces:|namespaces: nothing (expected: a name below it, or {}; firn.yaml line 1)",
        "tls:|tls: nothing (expected: certificate, key, client-ca below it, or {}; firn.yaml line"
            + " 1)",
        "listen: {redis: '127.0.0.1:7608'}|listen.redis: 127.0.0.1:7608 (expected: another port"
            + " than listen.http; firn.yaml line 1)",
        "{listen: {http: '127.0.0.1:9', admin: ':9'}, insecure: on}|listen.admin: :9 (expected:"
            + " another port than listen.http; firn.yaml line 1)",
        "listen: 7608|listen: 7608 (expected: http, redis, thrift, admin below it; firn.yaml line"
            + " 1)",
        "listen: [a]|listen: a list (expected: http, redis, thrift, admin below it; firn.yaml line"
            + " 1)",
        "grace: {a: b}|grace: several values (expected: one value; firn.yaml line 1)",
        "namespaces: &a {o: *a}|namespaces.o.o: unknown (expected: type, required, layout,"
            + " next-layout, window, acquire-timeout, max-clock-skew, max-split, after-loss, settle-time, carry-over, max-lead, max-wait,"
            + " sequence-start, clock-policy, allow-under-ten-years, datacenter, worker, step,"
            + " source; firn.yaml line 1)",
        "grace: [[1s]]|grace: several values (expected: one value; firn.yaml line 1)",
        "namespaces: {o: {layot: x}}|namespaces.o.layot: unknown (expected: layout; firn.yaml"
            + " line 1)",
        "namespaces: {'': {}}|namespaces.: unknown (expected: a name; firn.yaml line 1)",
        "namespaces: {a b: {}}|namespaces.a b: a b (expected: 1..64 of A-Z a-z 0-9 . _ : -;"
            + " firn.yaml line 1)",
        "namespaces: {o: {layout: twiter}}|namespaces.o.layout: twiter (expected: twitter;"
            + " firn.yaml line 1)",
        "namespaces: {o: {type: snowflak}}|namespaces.o.type: snowflak (expected: snowflake;"
            + " firn.yaml line 1)",
        "namespaces: {o: {step: 5}}|namespaces.o.step: 5 (expected: only with type: segment;"
            + " firn.yaml line 1)",
        "namespaces: {o: {type: segment, step: 0}}|namespaces.o.step: 0 (expected: 1..1000000000;"
            + " firn.yaml line 1)",
        "namespaces: {o: {type: segment, max-wait: 61s}}|namespaces.o.max-wait: 61s (expected:"
            + " 0ms..1m, as 500ms or 5s or 2m or 1h; firn.yaml line 1)",
        "namespaces: {o: {type: segment, source: 'x:y', worker: 5}}|namespaces.o.worker: 5"
            + " (expected: only with type: snowflake; firn.yaml line 1)",
        "namespaces: {o: {sequence-start: one}}|namespaces.o.sequence-start: one"
            + " (expected: continue, zero, random(N) or rotating(N), N below 10^9; firn.yaml line"
            + " 1)",
        "limits: {rate: fast}|limits.rate: fast (expected: 1..2147483647; firn.yaml line 1)",
        "limits: {request-size: 1023}|limits.request-size: 1023 (expected: 1024..16777216 bytes, as"
            + " 4096 or 64KiB or 1MiB; firn.yaml line 1)",
        "limits: {request-size: 17MiB}|limits.request-size: 17MiB (expected: 1024..16777216 bytes,"
            + " as 4096 or 64KiB or 1MiB; firn.yaml line 1)",
        "defaults: {max-wait: 1001ms}|defaults.max-wait: 1001ms (expected: 0ms..1s, as 500ms or 5s"
            + " or 2m or 1h; firn.yaml line 1)",
        "grace: 5|grace: 5 (expected: 0ms..1h, as 500ms or 5s or 2m or 1h; firn.yaml line 1)",
        "defaults: {clock-policy: leaf, max-wait: 1ms}|defaults.max-wait: 1ms (expected: none"
            + " beside clock-policy; firn.yaml line 1)",
        "defaults: {clock-policy: 'shardingsphere(1001ms,1)'}|defaults.clock-policy:"
            + " shardingsphere(1001ms,1) (expected: a wait of at most 1s and a lead of at most"
            + " 24h; firn.yaml line 1)",
        "on-demand: maybe|on-demand: maybe (expected: on, off; firn.yaml line 1)",
        "listen: {http: 7608}|listen.http: 7608 (expected: HOST:PORT, :PORT for every address, or"
            + " off; firn.yaml line 1)",
        "listen: {http: 'localhost:65536'}|listen.http: localhost:65536 (expected: HOST:PORT, :PORT"
            + " for every address, or off; firn.yaml line 1)",
        "listen: {http: off, redis: off, thrift: off}|listen: off (expected: one of http, redis,"
            + " thrift on)",
        "{limits: {namespaces: 1}, namespaces: {a: , b: }}|limits.namespaces: 1 (expected: at least"
            + " 2, the namespaces of the configuration; firn.yaml line 1)",
        "{on-demand: off, namespaces: {orders: }, tokens: {a: {env: LONG, namespaces: [ordres]}}}|"
            + "tokens.a.namespaces: ordres (expected: orders; firn.yaml line 1)",
        "tokens: {a: {env: LONG, namespaces: [a b]}}|tokens.a.namespaces: a b (expected: * or names"
            + " of 1..64 of A-Z a-z 0-9 . _ : -; firn.yaml line 1)",
        "tls: {key: k}|tls: k (expected: both certificate and key; firn.yaml line 1)",
        "tokens: {a: {env: LONG}, b: {env: LONG}}|tokens.b: not shown (expected: another secret"
            + " than that of token a; firn.yaml line 1)",
        "namespaces: {Orders: {}, orders: {}}|namespaces.orders: orders (expected: a name that"
            + " differs from others by more than case; firn.yaml line 1)",
        "namespaces: {a: {layout: twitter, worker: 1}}|namespaces.a.datacenter: not set (expected:"
            + " both datacenter and worker)",
        "tokens: {a: {}}|tokens.a: none (expected: either file or env; firn.yaml line 1)",
        "tokens: {a: {env: NOT_SET}}|tokens.a.env: not shown (expected: the name of an environment"
            + " variable that is set; firn.yaml line 1)",
        "tokens: my-secret-0123|tokens: not shown (expected: a name below it; firn.yaml line 1)",
        "tokens: {a: my-secret-0123}|tokens.a: not shown (expected: file, env, namespaces, scopes,"
            + " on-demand, rate, connections below it; firn.yaml line 1)",
        "namespaces: orders|namespaces: orders (expected: a name below it; firn.yaml line 1)",
        "otlp: {url: 'http://u:secret@h'}|otlp.url: http://***@h (expected: http://HOST or"
            + " https://HOST, with a port and a path if need be, without user and password;"
            + " firn.yaml line 1)",
        "otlp: {url: 'h:4318?apikey=secret'}|otlp.url: h:4318?apikey=*** (expected: http://HOST or"
            + " https://HOST, with a port and a path if need be, without user and password;"
            + " firn.yaml line 1)",
        "namespaces: {a: {source: 'jdbc:mariadb://h/a?password=secret'}}|namespaces.a.source:"
            + " jdbc:mariadb://h/a?password=*** (expected: only with type: segment; firn.yaml line"
            + " 1)",
        "tokens: {a: {env: SHORT}}|tokens.a.env: not shown (expected: 16..256 visible ASCII"
            + " characters; firn.yaml line 1)",
        "leaf: {source: 'jdbc:mariadb://h/leaf?password=x'}|leaf.source:"
            + " jdbc:mariadb://h/leaf?password=*** (expected: leaf:jdbc:DATABASE://HOST/NAME;"
            + " firn.yaml line 1)",
        "tinyid: {source: 'leaf:jdbc:h2:x'}|tinyid.source: leaf:jdbc:h2:x (expected:"
            + " tinyid:jdbc:DATABASE://HOST/NAME; firn.yaml line 1)",
        "hosts: 'ids.example, a b'|hosts: ids.example, a b (expected: names such as ids.example, in"
            + " ASCII, without scheme, port and wildcard, or * for all; firn.yaml line 1)",
        "store: nowhere|store: nowhere (expected: SCHEME:ADDRESS, as file:DIR; firn.yaml"
            + " line 1)",
      })
  void refusesAMistakeWithItsLineAndWhatWasMeant(String yaml, String message) throws Exception {
    environment.put("SHORT", "123456789012345");
    environment.put("LONG", "1234567890123456");
    yaml(yaml);
    assertThatIllegalArgumentException().isThrownBy(this::config).withMessage(message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a b",
        "a,,b",
        "a,",
        "http://ids.example",
        "ids.example/v1",
        "ids.example:7608",
        "ids..example",
        ".example",
        "-ids.example",
        "ids-.example",
        "*.example",
        "ids.example,*.example",
        "user@ids.example",
        "[ids.example]",
        "[::1]",
        "1.2.3.4:80",
        "b\u00fccher.example",
        "a234567890123456789012345678901234567890123456789012345678901234.example",
      })
  void refusesAHostThatNoRequestCanName(String hosts) {
    flags.put("--hosts", hosts);
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessageStartingWith("hosts: " + hosts + " (expected: names such as ids.example, ")
        .withMessageEndingWith("; --hosts)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "localhost|localhost",
        "Ids.Example, b|ids.example,b",
        "*|*",
        "localhost,*|localhost,*",
        "ids.example.|ids.example.",
        "my_service|my_service",
        "xn--bcher-kva.example|xn--bcher-kva.example",
        "1.2.3.4|1.2.3.4",
        "::1|::1",
        "a23456789012345678901234567890123456789012345678901234567890123|"
            + "a23456789012345678901234567890123456789012345678901234567890123",
      })
  void takesHostsThatARequestCanName(String hosts, String names) {
    flags.put("--hosts", hosts);
    assertThat(config().hosts()).containsExactly(names.split(","));
  }

  @Test
  void listensAtOnePortOfSeveralAddresses() throws Exception {
    yaml("listen: {http: '127.0.0.1:9', redis: '127.0.0.2:9', thrift: '[::1]:9', admin: off}");
    assertThat(config().listen()).hasSize(3);
    yaml("listen: {http: '127.0.0.1:0', redis: '127.0.0.1:0', thrift: off}");
    assertThat(config().listen()).hasSize(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "---\n", "tokens: {}\nnamespaces: {}\ntls: {}\nlimits: {}"})
  void readsAFileThatSetsNothing(String text) throws Exception {
    yaml(text);
    assertThat(config().tokens()).isEmpty();
  }

  @Test
  void namesTheLineOfAMistake() throws Exception {
    yaml("# comment\nlimits:\n  idle: 5m\n\n  cuont: 5\n");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage("limits.cuont: unknown (expected: count; firn.yaml line 5)");
    yaml("a: b\n  c: d\n");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage(
            "config: mapping values are not allowed here (expected: YAML; firn.yaml line 2)");
    yaml("grace: 5s\ngrace: 6s\n");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage(
            "grace: given twice (expected: once, it is on firn.yaml line 1; firn.yaml line 2)");
  }

  @ParameterizedTest
  @CsvSource({
    "FIRN_LIMIT_COUNT, FIRN_LIMITS_COUNT",
    "FIRN_LISTEN_HTPP, FIRN_LISTEN_HTTP",
    "FIRN_CONFG, FIRN_CONFIG",
    "FIRN_TRAC, FIRN_TRACE",
  })
  void refusesAVariableThatIsNoneAndNamesTheNearest(String variable, String nearest) {
    environment.put(variable, "5");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage(variable + ": unknown (expected: " + nearest + "; environment)");
  }

  @Test
  void letsPassTheVariablesOfOthers() {
    environment.put("FIRN_TRACE", "1");
    environment.put("FIRN_PORT", "tcp://10.0.0.1:7608");
    environment.put("FIRN_PORT_7608_TCP_ADDR", "10.0.0.1");
    environment.put("FIRN_SERVICE_HOST", "10.0.0.1");
    environment.put("FIRN_REDIS_SERVICE_HOST", "10.0.0.2");
    environment.put("FIRN_REDIS_SERVICE_PORT", "6379");
    environment.put("FIRN_REDIS_SERVICE_PORT_REDIS", "6379");
    environment.put("FIRN_REDIS_PORT", "tcp://10.0.0.2:6379");
    environment.put("FIRN_REDIS_PORT_6379_TCP", "tcp://10.0.0.2:6379");
    environment.put("FIRN_REDIS_PORT_6379_TCP_PROTO", "tcp");
    assertThat(config().limits().count()).isEqualTo(10_000);
  }

  @Test
  void letsPassTheVariablesThatTheConfigurationNames() throws Exception {
    yaml("tokens: {billing: {env: FIRN_BILLING_TOKEN}}");
    environment.put("FIRN_BILLING_TOKEN", SECRET);
    environment.put("FIRN_STORE", "redis://h?password-env=FIRN_DB_PASSWORD&timeout=1s");
    environment.put("FIRN_DB_PASSWORD", SECRET);
    assertThat(config().tokens()).hasSize(1);
    environment.put("FIRN_DB_PASS", SECRET);
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessageStartingWith("FIRN_DB_PASS: unknown (expected: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"FIRN_HTTP_PORT", "FIRN_PORT", "FIRN_REDIS_SERVICE"})
  void refusesAPortThatIsNoSetting(String variable) {
    environment.put(variable, "7608");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessageStartingWith(variable + ": unknown (expected: ");
  }

  @Test
  void takesWhatIsAtALimitAndNoMore() {
    for (String count : new String[] {"1", "2", "999999", "1000000"}) {
      flags.put("--limits-count", count);
      assertThat(config().limits().count()).isEqualTo(Integer.parseInt(count));
    }
    for (String count : new String[] {"0", "1000001", "-1", "1.5", "", "99999999999999999999"}) {
      flags.put("--limits-count", count);
      assertThatIllegalArgumentException()
          .isThrownBy(this::config)
          .withMessage("limits.count: " + count + " (expected: 1..1000000; --limits-count)");
    }
  }

  @Test
  void takesTheLargestSizeAndTheLongestTimeAndNoMore() {
    flags.put("--limits-request-size", "16MiB");
    assertThat(config().limits().requestBytes()).isEqualTo(16 << 20);
    flags.put("--limits-request-size", "16777217");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessageContaining("limits.request-size: 16777217 (expected: 1024..16777216 bytes");
    flags.put("--limits-request-size", "1024");
    flags.put("--limits-idle", "168h");
    assertThat(config().limits().idle()).isEqualTo(Duration.ofDays(7));
    flags.put("--limits-idle", "169h");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessageContaining("limits.idle: 169h (expected: ");
  }

  @Test
  void listensBeyondLoopbackOnlyWithTlsAndATokenOrWithInsecure() {
    flags.put("--store", "memory:");
    flags.put("--listen-http", "0.0.0.0:7608");
    String message =
        "listen.http: 0.0.0.0:7608 (expected: loopback, or tls and a token, or insecure;"
            + " --listen-http)";
    assertThatIllegalArgumentException().isThrownBy(this::config).withMessage(message);
    flags.put("--tls-certificate", "c.pem");
    flags.put("--tls-key", "k.pem");
    assertThatIllegalArgumentException().isThrownBy(this::config).withMessage(message);
    environment.put("FIRN_TOKEN", SECRET);
    assertThat(config().listen().get("http").getPort()).isEqualTo(7608);
    flags.remove("--tls-certificate");
    flags.remove("--tls-key");
    assertThatIllegalArgumentException().isThrownBy(this::config).withMessage(message);
    environment.remove("FIRN_TOKEN");
    flags.put("--insecure", "on");
    assertThat(config().listen().get("http").getPort()).isEqualTo(7608);
  }

  @Test
  void servesThriftBeyondLoopbackOnlyWithInsecure() {
    flags.put("--store", "memory:");
    flags.put("--listen-thrift", ":7609");
    flags.put("--tls-certificate", "c.pem");
    flags.put("--tls-key", "k.pem");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage(
            "listen.thrift: :7609 (expected: loopback, because Twitter's Thrift carries no token;"
                + " or insecure; --listen-thrift)");
    flags.put("--insecure", "on");
    assertThat(config().listen().get("thrift").getPort()).isEqualTo(7609);
  }

  @Test
  void servesThriftOnlyWithoutTokens() {
    environment.put("FIRN_TOKEN", SECRET);
    assertThat(config().listen()).doesNotContainKey("thrift");
    flags.put("--listen-thrift", "127.0.0.1:7609");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage(
            "listen.thrift: 127.0.0.1:7609 (expected: off, because Twitter's Thrift carries no"
                + " token; or no tokens; --listen-thrift)");
  }

  @Test
  void servesThriftOnlyFromANamespaceThatThereIs() throws Exception {
    flags.put("--on-demand", "off");
    yaml("namespaces: {orders: {}}");
    assertThat(config().listen()).doesNotContainKey("thrift");
    flags.put("--listen-thrift", "127.0.0.1:7609");
    assertThatIllegalArgumentException()
        .isThrownBy(this::config)
        .withMessage("thrift-namespace: default (expected: orders; set by default)");
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:5,/127.0.0.1:5",
    "127.9.9.9:0,/127.9.9.9:0",
    "[::1]:65535,/[0:0:0:0:0:0:0:1]:65535",
    "localhost:5,localhost/127.0.0.1:5"
  })
  void knowsEveryFormOfLoopback(String text, String address) {
    flags.put("--listen-http", text);
    assertThat(config().listen().get("http")).hasToString(address);
  }

  @Test
  void clientsOfOtherHostsWithoutATokenMayWhatAnOrdinaryTokenMay() {
    assertThat(TokenConfig.anonymous(config()).scopes()).isEqualTo(TokenScope.all());
    flags.putAll(Map.of("--listen-http", ":7608", "--insecure", "on", "--store", "memory:"));
    assertThat(TokenConfig.anonymous(config()).scopes())
        .containsExactlyInAnyOrder(TokenScope.ISSUE, TokenScope.READ);
  }
}
