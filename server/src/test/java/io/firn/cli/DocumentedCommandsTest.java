package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.FreePort;
import io.firn.testservers.FirnServer;
import io.firn.testservers.InstalledProgram;
import io.firn.testservers.RedisServer;
import io.firn.testservers.TestJvm;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands of README and docs, those of blocks and those of Maven and the launcher in a line. A
 * command of {@code firn}, curl or redis-cli runs here, in one directory that is empty at first,
 * with the servers of this test in place of those in the text. Any other is listed with the reason
 * why it does not run here.
 */
@Timeout(600)
final class DocumentedCommandsTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** The commands that do not run here, each with the reason or with the test that runs it. */
  private static final List<Elsewhere> ELSEWHERE =
      List.of(
          elsewhere("mvn -Dquick install", "a build within a build; .ci/run does it"),
          elsewhere("mvn .*", "a build within a build"),
          elsewhere("\\.ci/run", "the build that runs this"),
          elsewhere("apt-get install .*", "installs packages of Debian, as root"),
          elsewhere(
              "(npm|pip) install .*",
              "server/src/test/java/io/firn/server/FirstPartyClientsTest.java"),
          elsewhere(
              "(\\./)?firn serve --legacy-routes .*",
              "server/src/test/java/io/firn/server/http/LegacySourcesTest.java"),
          elsewhere(
              "(\\./)?firn serve --(print-config|check)",
              "server/src/test/java/io/firn/cli/ServeCommandTest.java"),
          elsewhere(
              "(\\./)?firn workers release .*",
              "server/src/test/java/io/firn/cli/ReleaseCommandTest.java"),
          elsewhere(
              "(\\./)?firn simulate.*",
              "verification/simulation/src/test/java/io/firn/simulation/SimulateTest.java"),
          elsewhere(
              "(\\./)?firn bench.*", "measures for minutes; the module verification/benchmarks"),
          elsewhere(
              "(\\./)?firn --version",
              "verification/gates/src/test/java/io/firn/gates/LauncherTest.java"),
          elsewhere("firn adopt .*", "server/src/test/java/io/firn/cli/AdoptCommandTest.java"),
          elsewhere(
              "firn layout (change|show|cancel) .*",
              "server/src/test/java/io/firn/cli/LayoutChangeCommandTest.java"),
          elsewhere("mysql .*", "needs MySQL; firn verify reads a pipe in VerifyCommandTest"),
          elsewhere(
              "java -jar examples/boot4/.*", "needs a build; ShopTest starts the application"),
          elsewhere(
              "curl '?http://localhost:8081/.*",
              "examples/boot4/src/test/java/io/firn/examples/boot4/ShopTest.java"),
          elsewhere(
              "kubectl .*", "needs kubectl; OperatingFilesTest and DeployingTest read the files"),
          elsewhere(
              "firn blocks forget .*", "server/src/test/java/io/firn/cli/BlocksCommandTest.java"),
          elsewhere(
              "firn watermark .*", "server/src/test/java/io/firn/cli/WatermarkCommandTest.java"),
          elsewhere("psql .*", "needs psql"),
          elsewhere("firn sql .*", "server/src/test/java/io/firn/cli/SqlOnPostgresTest.java"),
          elsewhere(
              "firn workers reserve .* --for sql .*",
              "server/src/test/java/io/firn/cli/SqlOnPostgresTest.java"),
          elsewhere("zkCli.sh .*", "needs the shell of ZooKeeper"),
          elsewhere("etcdctl .*", "needs etcdctl"));

  /** The setup that a command of these pages needs, or leaves behind for the next. */
  private static final Map<String, String> BEFORE =
      Map.of(
          "firn store settle-time .*",
              "firn next --store redis://ids.example.com --namespace orders",
          "./firn workers", "./firn next --namespace classic",
          "firn blocks.*",
              "firn next --block 1000000 --store redis://ids.example.com --namespace orders");

  private static final Set<String> EXITS_WITH_1 =
      Set.of("firn disjoint leaf classic --from-a 2010-11-10 --from-b 2027-01-01");

  /** The first word of a command that a page shows in a block without a prompt. */
  private static final Pattern COMMAND =
      Pattern.compile(
          "(\\./firn|\\.ci/run|(firn|mvn|java|curl|redis-cli|redis-benchmark|mysql|psql|etcdctl"
              + "|zkCli\\.sh|kubectl|helm|podman|docker|systemctl|journalctl|apt-get|npm|pip3?|node"
              + "|python3|git|sudo|jq|ab|promtool) ).*");

  private static final Pattern INLINE =
      Pattern.compile(
          "`((?:mvn|\\./firn|npm install|pip install|apt-get|kubectl|podman|docker)"
              + " [^`]+|\\.ci/run)`");

  /** Without a store, it leases from one of its own, where the workers of the services are free. */
  private static final Pattern ISSUES_FOR_ROWS =
      Pattern.compile("firn next[^`\n]* -n COUNT[^`\n]*");

  @TempDir static Path directory;

  private static RedisServer redis;
  private static Process server;
  private static int httpPort;
  private static int redisPort;

  /** Commands that do not run here. */
  private record Elsewhere(Pattern commands, String reason) {

    boolean isTest() {
      return reason.endsWith("Test.java");
    }
  }

  private static Elsewhere elsewhere(String commands, String reason) {
    return new Elsewhere(Pattern.compile(commands), reason);
  }

  // The pages.

  private static List<Path> pages() throws IOException {
    List<Path> pages =
        new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")));
    try (Stream<Path> docs = Files.walk(ROOT.resolve("docs"));
        Stream<Path> clients = Files.list(ROOT.resolve("clients"))) {
      Stream.concat(docs, clients.map(client -> client.resolve("README.md")).filter(Files::exists))
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .forEach(pages::add);
    }
    return pages;
  }

  /** Returns each command once, as it stands there, without its prompt and remark. */
  private static Set<String> commands() throws IOException {
    Set<String> commands = new LinkedHashSet<>();
    for (Path page : pages()) {
      boolean shell = false;
      boolean fenced = false;
      for (String line : Files.readAllLines(page)) {
        String text = line.strip().replaceFirst("\\s{2,}#.*| &$", "").strip();
        if (line.startsWith("```")) {
          fenced = !fenced;
          shell = fenced && line.matches("```(sh|console|shell|bash)");
        } else if (shell && !text.isEmpty()) {
          commands.add(withoutPrompt(text));
        } else if (!fenced && line.startsWith("    ")) {
          if (text.startsWith("$ ") || COMMAND.matcher(text).matches()) {
            commands.add(withoutPrompt(text));
          }
        } else if (!fenced) {
          INLINE.matcher(line).results().map(found -> found.group(1)).forEach(commands::add);
        }
      }
    }
    return commands;
  }

  private static String withoutPrompt(String line) {
    return line.startsWith("$ ") ? line.substring(2) : line;
  }

  private static Optional<Elsewhere> elsewhere(String command) {
    return ELSEWHERE.stream().filter(one -> one.commands().matcher(command).matches()).findFirst();
  }

  private static boolean runsHere(String command) {
    return command.matches("(\\./)?(firn|curl|redis-cli) .*");
  }

  @Test
  void everyCommandRunsHereOrIsListed() throws IOException {
    assertThat(commands())
        .hasSizeGreaterThan(40)
        .allMatch(command -> runsHere(command) || elsewhere(command).isPresent());
  }

  /** The shell zsh refuses a word with a ? that matches no file. */
  @Test
  void everyAddressWithParametersIsQuoted() throws IOException {
    assertThat(commands())
        .allMatch(command -> !command.replaceAll("'[^']*'|\"[^\"]*\"", "").contains("?"));
  }

  @Test
  void everyTestOfTheListIsThere() {
    assertThat(ELSEWHERE)
        .filteredOn(Elsewhere::isTest)
        .isNotEmpty()
        .allSatisfy(one -> assertThat(ROOT.resolve(one.reason())).exists());
  }

  @Test
  void everyCommandThatIssuesIdsForRowsNamesTheirStoreOrWorker() throws IOException {
    List<String> commands = new ArrayList<>();
    for (Path page : pages()) {
      ISSUES_FOR_ROWS
          .matcher(Files.readString(page))
          .results()
          .map(MatchResult::group)
          .forEach(commands::add);
    }
    assertThat(commands)
        .hasSizeGreaterThan(1)
        .allMatch(
            command ->
                command.contains(" --worker ")
                    || (command.contains(" --store ") && command.contains(" --namespace ")));
  }

  // The commands.

  @BeforeAll
  static void start() throws Exception {
    redis = RedisServer.start();
    httpPort = FreePort.next();
    redisPort = FreePort.next();
    Path launcher = directory.resolve("firn");
    Files.writeString(
        launcher,
        "#!/bin/sh\nexec '%s' \"$@\"\n"
            .formatted(String.join("' '", TestJvm.command(Main.class.getName(), List.of()))));
    assertThat(launcher.toFile().setExecutable(true)).isTrue();
    Files.writeString(directory.resolve("s1042.txt"), "117610173326504099\n");
    Files.writeString(directory.resolve("s1043.txt"), "117610173326504100\n");
    Files.writeString(directory.resolve("export.csv"), "id,name\n117610173326504099,ink\n");
    ProcessBuilder serve = shell("exec ./firn serve");
    serve
        .environment()
        .putAll(
            Map.of(
                "FIRN_LISTEN_HTTP", "127.0.0.1:" + httpPort,
                "FIRN_LISTEN_REDIS", "127.0.0.1:" + redisPort,
                "FIRN_LISTEN_THRIFT", "off"));
    server =
        serve
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("serve.log").toFile())
            .start();
    awaitServer();
  }

  private static void awaitServer() throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    HttpRequest ready =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + "/readyz")).build();
    while (server.isAlive()) {
      try {
        if (client.send(ready, BodyHandlers.discarding()).statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        // not yet
      }
      TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
    throw new AssertionError(Files.readString(directory.resolve("serve.log")));
  }

  @AfterAll
  static void stop() throws Exception {
    server.toHandle().destroy();
    assertThat(server.waitFor(2, TimeUnit.MINUTES)).isTrue();
    redis.close();
  }

  @TestFactory
  Stream<DynamicTest> runs() throws IOException {
    return commands().stream()
        .filter(command -> elsewhere(command).isEmpty() && runsHere(command))
        .filter(command -> !command.equals("./firn serve")) // it does
        .filter(DocumentedCommandsTest::isInstalled)
        .map(command -> DynamicTest.dynamicTest(command, () -> run(command)));
  }

  private static boolean isInstalled(String command) {
    String program = command.replaceFirst(" .*", "");
    return program.endsWith("firn")
        || new InstalledProgram(
                program, program.equals("curl") ? "curl" : "redis-tools", "FIRN_REQUIRE_CLIENTS")
            .isInstalled();
  }

  private static void run(String command) throws Exception {
    for (Map.Entry<String, String> before : BEFORE.entrySet()) {
      if (command.matches(before.getKey())) {
        expectExit(before.getValue(), 0);
      }
    }
    expectExit(command, EXITS_WITH_1.contains(command) ? 1 : 0);
  }

  /** Puts the servers of this test in place of those that a page names. */
  private static String here(String command) {
    String store = "redis://127.0.0.1:" + redis.port();
    return command
        .replace("127.0.0.1:7608", "127.0.0.1:" + httpPort)
        .replaceAll("-p (7606)?(?= )", "-p " + redisPort)
        .replaceFirst("^redis-cli (?=hgetall)", "redis-cli -p " + redis.port() + " ")
        .replaceAll(
            "redis://(ids\\.example\\.com|h:6379|localhost/)(?!\\?)",
            Matcher.quoteReplacement(store + "?timeout=10s")) // on a busy machine
        .replace("redis://ids.example.com", store)
        .replace("--store URI", "--store " + store)
        .replace("/var/lib/firn", directory.resolve("store").toString())
        .replaceFirst(" \\| jq .*", "");
  }

  private static void expectExit(String command, int code) throws Exception {
    Path out = Files.createTempFile(directory, "out", ".txt");
    Process process =
        shell(here(command)).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    try {
      assertThat(process.waitFor(5, TimeUnit.MINUTES)).as(command).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(out, UTF_8);
    assertThat(text).as(command).isNotBlank().doesNotContain("Exception");
    assertThat(process.exitValue()).as(command + "\n" + text).isEqualTo(code);
  }

  private static ProcessBuilder shell(String command) {
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", command).directory(directory.toFile());
    Map<String, String> environment = builder.environment();
    FirnServer.clearSettings(environment);
    environment.put("PATH", directory + ":" + environment.get("PATH"));
    environment.put("XDG_STATE_HOME", directory.resolve("state").toString());
    return builder;
  }
}
