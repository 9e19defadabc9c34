package io.firn.server.http;

import static java.lang.ProcessBuilder.Redirect.DISCARD;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.PemFiles;
import io.firn.server.Protocol;
import io.firn.server.RunningServer;
import io.firn.server.Server;
import io.firn.server.Service;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.Sources;
import io.firn.server.redis.RedisProtocol;
import io.firn.server.thrift.ThriftProtocol;
import io.firn.testkit.FreePort;
import io.firn.testservers.InstalledProgram;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** Tests that flags, variables, ports, paths and probes in {@code docs/operating} are right. */
final class DeployingTest {

  private static final Path DOCS = Path.of("..", "docs", "operating");
  private static final String SERVE = " serve ";

  @TempDir Path directory;

  private Map<?, ?> deployment;
  private Map<?, ?> service;
  private Map<?, ?> configMap;
  private Map<?, ?> networkPolicy;

  @BeforeEach
  void readManifest() throws Exception {
    List<Map<?, ?>> manifests = new ArrayList<>();
    new Yaml()
        .loadAll(new StringReader(Files.readString(DOCS.resolve("kubernetes.yaml"))))
        .forEach(document -> manifests.add((Map<?, ?>) document));
    configMap = ofKind(manifests, "ConfigMap");
    deployment = ofKind(manifests, "Deployment");
    service = ofKind(manifests, "Service");
    networkPolicy = ofKind(manifests, "NetworkPolicy");
    assertThat(manifests).hasSize(5);
  }

  private static Map<?, ?> ofKind(List<Map<?, ?>> manifests, String kind) {
    return manifests.stream()
        .filter(manifest -> kind.equals(manifest.get("kind")))
        .findFirst()
        .orElseThrow();
  }

  /** Returns the value at a path of keys and indexes. */
  private static Object at(Object tree, Object... path) {
    Object found = tree;
    for (Object step : path) {
      found =
          step instanceof Integer index
              ? ((List<?>) found).get(index)
              : ((Map<?, ?>) found).get(step);
      assertThat(found).as("%s of %s", step, tree).isNotNull();
    }
    return found;
  }

  private Object podSpec() {
    return at(deployment, "spec", "template", "spec");
  }

  private Object container() {
    return at(deployment, "spec", "template", "spec", "containers", 0);
  }

  private static List<Object> each(Object list, Object... path) {
    return StreamSupport.stream(((Iterable<?>) list).spliterator(), false)
        .map(element -> at(element, path))
        .collect(Collectors.toList());
  }

  @Test
  void theManifestTakesNoVariablesOfServices() {
    assertThat(at(podSpec(), "enableServiceLinks")).isEqualTo(false);
  }

  @Test
  void theManifestsConfigurationIsUnderstood() throws Exception {
    ServerConfig config = manifestConfig();
    assertThat(config.listen().keySet()).containsExactly("http", "redis", "admin");
    assertThat(config.tls()).isPresent();
    assertThat(config.tokens()).hasSize(1);
    assertThat(config.instance()).contains("value-of-FIRN_INSTANCE");
    assertThat(each(at(container(), "ports"), "containerPort"))
        .containsExactlyElementsOf(
            config.listen().values().stream().<Object>map(address -> address.getPort()).toList());
    int killed = (int) at(deployment, "spec", "template", "spec", "terminationGracePeriodSeconds");
    List<?> sleep = (List<?>) at(container(), "lifecycle", "preStop", "exec", "command");
    assertThat(sleep).hasSize(2).first().isEqualTo("sleep");
    assertThat(killed)
        .isGreaterThan(Integer.parseInt((String) sleep.get(1)) + (int) config.grace().toSeconds());
  }

  private String manifestText() {
    List<?> arguments = (List<?>) at(container(), "args");
    return (String) at(configMap, "data", "" + Path.of("" + arguments.get(1)).getFileName());
  }

  /** As the container gets it, with the files of its volumes in a directory of the test. */
  private ServerConfig manifestConfig() throws Exception {
    List<?> arguments = (List<?>) at(container(), "args");
    assertThat(arguments).hasSize(2).first().isEqualTo("--config");
    Path file = Path.of((String) arguments.get(1));
    assertThat(each(at(container(), "volumeMounts"), "mountPath"))
        .contains(file.getParent().toString(), "/etc/firn/secrets", "/etc/firn/tls");
    String text = manifestText();
    Map<String, String> environment = imageVariables();
    for (Object variable : (List<?>) at(container(), "env")) {
      String name = (String) at(variable, "name");
      environment.put(name, name.equals("FIRN_STORE") ? "memory:" : "value-of-" + name);
    }
    return read(text, environment);
  }

  /** A setting of the image's environment wins, so that it has no effect in the file. */
  @Test
  void theManifestSetsNothingThatTheImageSets() throws Exception {
    Map<?, ?> listen = (Map<?, ?>) at(new Yaml().load(manifestText()), "listen");
    assertThat(imageVariables().keySet())
        .doesNotContainAnyElementsOf(
            listen.keySet().stream()
                .map(name -> "FIRN_LISTEN_" + String.valueOf(name).toUpperCase(Locale.ROOT))
                .toList());
  }

  private ServerConfig read(String yaml, Map<String, String> environment) throws Exception {
    PemFiles pem = new PemFiles(directory, "firn");
    Path token = Files.writeString(directory.resolve("token"), "a-token-of-the-manifest");
    String placed =
        yaml.replace("/etc/firn/tls/tls.crt", pem.certificate().toString())
            .replace("/etc/firn/tls/tls.key", pem.key().toString())
            .replace("/etc/firn/secrets/token", token.toString());
    Path file = Files.writeString(directory.resolve("firn.yaml"), placed);
    return Sources.of(Map.of("--config", file.toString()), environment, "memory:").read();
  }

  @Test
  void theManifestsProbesAreAnswered() throws Exception {
    try (HttpServing serving = HttpServing.start("")) {
      for (String probe : List.of("livenessProbe", "readinessProbe", "startupProbe")) {
        Object get = at(container(), probe, "httpGet");
        assertThat(serving.get((String) at(get, "path")).statusCode()).isEqualTo(200);
        assertThat(at(get, "port")).isEqualTo("admin");
        assertThat(at(get, "scheme")).isEqualTo("HTTPS");
      }
    }
  }

  @Test
  void theManifestsPartsFitTogether() {
    Object labels = at(deployment, "spec", "template", "metadata", "labels");
    assertThat(at(deployment, "spec", "selector", "matchLabels")).isEqualTo(labels);
    assertThat(at(service, "spec", "selector")).isEqualTo(labels);
    assertThat(each(at(container(), "ports"), "name")).containsExactly("http", "redis", "admin");
    assertThat(each(at(service, "spec", "ports"), "targetPort")).containsExactly("http", "redis");
    assertThat(at(networkPolicy, "spec", "podSelector", "matchLabels")).isEqualTo(labels);
    assertThat(each(at(networkPolicy, "spec", "ingress", 0, "ports"), "port"))
        .containsExactly("http", "redis");
    assertThat(each(at(networkPolicy, "spec", "ingress", 1, "ports"), "port"))
        .containsExactly("admin");
    for (Object spread : (List<?>) at(podSpec(), "topologySpreadConstraints")) {
      assertThat(at(spread, "labelSelector", "matchLabels")).isEqualTo(labels);
    }
    List<Object> volumes = each(at(deployment, "spec", "template", "spec", "volumes"), "name");
    assertThat(each(at(container(), "volumeMounts"), "name")).isEqualTo(volumes);
    assertThat(at(deployment, "spec", "template", "spec", "volumes", 0, "configMap", "name"))
        .isEqualTo(at(configMap, "metadata", "name"));
  }

  /** The heap, the direct memory, and what else a JVM needs fit into what the manifest grants. */
  @Test
  void theManifestGrantsTheMemoryThatTheImageUses() throws Exception {
    String memory = (String) at(container(), "resources", "limits", "memory");
    assertThat(memory).isEqualTo(at(container(), "resources", "requests", "memory")).endsWith("Mi");
    long granted = Long.parseLong(memory.replace("Mi", ""));
    String command = word(Files.readAllLines(DOCS.resolve("Containerfile")), "ENTRYPOINT");
    long heap = granted * number(command, "-XX:MaxRAMPercentage=([0-9]+)") / 100;
    long direct = number(command, "-XX:MaxDirectMemorySize=([0-9]+)m");
    assertThat(heap).isGreaterThanOrEqualTo(128);
    assertThat(granted - heap - direct).isGreaterThanOrEqualTo(180);
  }

  private static long number(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern).matcher(text);
    assertThat(matcher.find()).as(pattern).isTrue();
    return Long.parseLong(matcher.group(1));
  }

  @Test
  void theMonitorScrapesThePortOfAdministration() throws Exception {
    Map<?, ?> monitor = new Yaml().load(Files.readString(DOCS.resolve("podmonitor.yaml")));
    Object endpoint = at(monitor, "spec", "podMetricsEndpoints", 0);
    assertThat(at(endpoint, "port")).isEqualTo("admin");
    assertThat(at(endpoint, "path")).isEqualTo("/metrics");
    assertThat(at(monitor, "spec", "selector", "matchLabels"))
        .isEqualTo(at(deployment, "spec", "template", "metadata", "labels"));
  }

  static boolean systemdIsInstalled() {
    return new InstalledProgram("systemd-analyze", "systemd", "FIRN_REQUIRE_SYSTEMD").isInstalled();
  }

  /** It warns of what it ignores, and succeeds all the same. */
  @Test
  @EnabledIf("systemdIsInstalled")
  void systemdUnderstandsTheUnit() throws Exception {
    Path unit = DOCS.resolve("firn.service");
    assertThat(warnings(unit)).isEmpty();
    String misspelled = Files.readString(unit).replace("LimitNOFILE=", "LimitNOFILES=");
    Path other = Files.writeString(directory.resolve("misspelled.service"), misspelled);
    assertThat(warnings(other)).singleElement().asString().contains("'LimitNOFILES'");
  }

  private static List<String> warnings(Path unit) throws Exception {
    Process verify =
        new ProcessBuilder("systemd-analyze", "verify", unit.toRealPath().toString())
            .redirectErrorStream(true)
            .start();
    String text = new String(verify.getInputStream().readAllBytes(), UTF_8);
    verify.waitFor();
    return text.lines().filter(line -> line.contains(unit.getFileName() + ":")).toList();
  }

  @Test
  void theUnitStartsTheServerWithAFile() throws Exception {
    Map<String, String> unit = new HashMap<>();
    for (String line : Files.readAllLines(DOCS.resolve("firn.service"))) {
      assertThat(line).matches("|#.*|\\[(Unit|Service|Install)]|[A-Z][A-Za-z]+=.*");
      int equals = line.indexOf('=');
      if (equals > 0) {
        unit.put(line.substring(0, equals), line.substring(equals + 1));
      }
    }
    String command = unit.get("ExecStart");
    assertThat(command).contains("/firn.jar serve");
    assertThat(command.substring(command.indexOf(SERVE) + SERVE.length()))
        .isEqualTo("--config /etc/firn/firn.yaml");
    assertThat(unit).containsEntry("Type", "notify").containsEntry("WatchdogSec", "30s");
    assertThat(unit).containsEntry("RestartPreventExitStatus", "2");
    assertThat(unit).containsEntry("ExecReload", "/bin/kill -HUP $MAINPID");
    ServerConfig defaults = Sources.of(Map.of(), Map.of(), "memory:").read();
    assertThat(Integer.parseInt(unit.get("TimeoutStopSec").replace("s", "")))
        .isGreaterThan((int) defaults.grace().toSeconds());
    assertThat(Integer.parseInt(unit.get("LimitNOFILE")))
        .isGreaterThan(defaults.limits().connections() + 1000);
  }

  @Test
  void theConfigurationOfTheUnitIsUnderstood() throws Exception {
    String page = Files.readString(DOCS.resolve("deploying.md"));
    Matcher block = Pattern.compile("(?s)```yaml\n(.*?)```").matcher(page);
    assertThat(block.find()).isTrue();
    String credentials = "/run/credentials/firn.service/";
    String yaml = block.group(1);
    String unit = Files.readString(DOCS.resolve("firn.service"));
    Matcher credential = Pattern.compile(credentials + "(\\S+)").matcher(yaml);
    while (credential.find()) {
      assertThat(unit).contains("\nLoadCredential=" + credential.group(1) + ":/etc/firn/");
    }
    String placed =
        yaml.replace(credentials + "certificate.pem", "/etc/firn/tls/tls.crt")
            .replace(credentials + "key.pem", "/etc/firn/tls/tls.key")
            .replace(credentials + "token", "/etc/firn/secrets/token");
    ServerConfig config = read(placed, Map.of());
    assertThat(config.permanent()).containsExactly("orders");
    assertThat(config.onDemand()).isFalse();
    assertThat(config.tls()).isPresent();
    assertThat(config.tokens()).hasSize(1);
  }

  /** A process without memory is started again; one that lives on may answer nobody. */
  @Test
  void everyLauncherEndsTheProcessWhenMemoryRunsOut() throws Exception {
    for (Path launcher :
        List.of(
            DOCS.resolve("firn.service"),
            DOCS.resolve("Containerfile"),
            Path.of("src", "dist", "launch.sh"))) {
      assertThat(Files.readString(launcher)).contains("-XX:+ExitOnOutOfMemoryError");
    }
  }

  @Test
  void theContainerListensWhereItSays() throws Exception {
    List<String> lines = containerfile();
    Map<String, String> variables = imageVariables();
    variables.put("FIRN_INSECURE", "on");
    ServerConfig config = Sources.of(Map.of(), variables, "memory:").read();
    assertThat(config.listen().values().stream().map(at -> "" + at.getPort()))
        .containsExactlyInAnyOrder(word(lines, "EXPOSE").split(" ", -1));
    String[] copied = word(lines, "COPY").split(" ", -1);
    assertThat(copied[0]).isEqualTo("server/target/firn.jar");
    assertThat(lines)
        .contains("COPY server/target/lib " + Path.of(copied[1]).resolveSibling("lib"));
    List<String> command = new Yaml().load(word(lines, "ENTRYPOINT"));
    assertThat(command).endsWith("-jar", copied[1], "serve");
  }

  private static List<String> containerfile() throws IOException {
    return Files.readAllLines(DOCS.resolve("Containerfile"));
  }

  /** Returns the environment of a container of the image. */
  private static Map<String, String> imageVariables() throws IOException {
    Map<String, String> variables = new HashMap<>();
    for (String set : word(containerfile(), "ENV").split(" ", -1)) {
      variables.put(set.split("=", 2)[0], set.split("=", 2)[1]);
    }
    return variables;
  }

  static boolean curlIsInstalled() {
    return new InstalledProgram("curl", "curl", "FIRN_REQUIRE_CLIENTS").isInstalled();
  }

  /** Ports of this host, on its loopback, stand for the container's own. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @EnabledIf("curlIsInstalled")
  void theImagesHealthCheckFindsTheServerOfItsEnvironment(boolean tls) throws Exception {
    Map<String, String> environment = imageVariables();
    String check = healthCheck();
    for (String exposed : word(containerfile(), "EXPOSE").split(" ", -1)) {
      String port = "" + FreePort.next();
      environment.replaceAll(
          (name, value) -> value.equals(":" + exposed) ? "127.0.0.1:" + port : value);
      check = check.replace(exposed, port);
    }
    assertThat(exitCode(check)).isNotZero();
    if (tls) {
      PemFiles pem = new PemFiles(directory, "firn");
      environment.put("FIRN_TLS_CERTIFICATE", pem.certificate().toString());
      environment.put("FIRN_TLS_KEY", pem.key().toString());
    }
    environment.put("FIRN_STORE", "memory:");
    ServerConfig config = Sources.of(Map.of(), environment, "memory:").read();
    try (Server server = Server.start(config, TimeSource.system(), DeployingTest::protocols)) {
      assertThat(server.service().config().tls().isPresent()).isEqualTo(tls);
      assertThat(exitCode(check)).isZero();
    }
    assertThat(exitCode(check)).isNotZero();
  }

  private static List<Protocol> protocols(Service service) {
    return List.of(
        new HttpProtocol(service), new RedisProtocol(service), new ThriftProtocol(service));
  }

  @Test
  void podmanBuildsTheImageInTheFormatThatHasAHealthCheck() throws Exception {
    assertThat(containerfile().stream().filter(line -> line.contains("podman build ")))
        .isNotEmpty()
        .allMatch(line -> line.contains(" --format docker "));
  }

  /** Returns the command of the health check, which is the line below its options. */
  private static String healthCheck() throws IOException {
    List<String> lines = containerfile();
    int options = lines.indexOf("HEALTHCHECK " + word(lines, "HEALTHCHECK"));
    assertThat(lines.get(options)).endsWith(" CMD \\");
    return lines.get(options + 1).strip();
  }

  /** With tls.client-ca, the HTTP port asks for a certificate, which the check does not have. */
  @Test
  @EnabledIf("curlIsInstalled")
  void theContainersCheckNeedsNoCertificateOnThePortOfAdministration() throws Exception {
    PemFiles files = new PemFiles(directory, "server");
    String tls = files.yaml().replace("}", ", client-ca: " + files.certificate() + "}");
    ServerConfig config =
        RunningServer.config("http", tls, "listen: {admin: '127.0.0.1:" + FreePort.next() + "'}");
    try (Server server =
        Server.start(
            config,
            TimeSource.system(),
            started -> List.of(new HttpProtocol(started), HttpProtocol.admin(started)))) {
      int admin = server.addresses().get("admin").getPort();
      int port = server.addresses().get("http").getPort();
      assertThat(exitCode(healthCheck(), admin)).isZero();
      assertThat(exitCode(healthCheck(), port)).isNotZero();
    }
  }

  private static int exitCode(String command) throws Exception {
    return exitCode(command, Map.of());
  }

  private static int exitCode(String command, int healthPort) throws Exception {
    return exitCode(command, Map.of("HEALTH_PORT", "" + healthPort));
  }

  private static int exitCode(String command, Map<String, String> environment) throws Exception {
    ProcessBuilder shell = new ProcessBuilder("sh", "-c", command);
    shell.environment().remove("HEALTH_PORT");
    shell.environment().putAll(environment);
    return shell.redirectErrorStream(true).redirectOutput(DISCARD).start().waitFor();
  }

  private static String word(List<String> lines, String instruction) {
    return lines.stream()
        .filter(line -> line.startsWith(instruction + " "))
        .map(line -> line.substring(instruction.length() + 1))
        .findFirst()
        .orElseThrow();
  }
}
