package io.firn.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.firn.IdLayout;
import io.firn.server.SnowflakeStatus;
import io.firn.testkit.Sizes;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that OpenAPI Generator makes of {@code /openapi.json} are compiled and call a server. In
 * the large size only. What is not installed is said in the output; if {@value #REQUIRE} is 1, the
 * test fails.
 */
@Timeout(900)
final class GeneratedClientsTest {

  private static final String REQUIRE = "FIRN_REQUIRE_CLIENTS";

  private static final String GENERATOR = "openapi-generator-cli";
  private static final String GENERATOR_VERSION = "7.14.0";

  /** The folder of Debian's sources of Go packages. */
  private static final Path DEBIAN_GO = Path.of("/usr/share/gocode");

  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  @TempDir private static Path directory;
  private static HttpServing serving;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(Sizes.isDeep(), "in the large size only");
    serving =
        HttpServing.start("{namespaces: {numbers: {type: segment}, orders: {layout: classic}}}");
    Files.writeString(directory.resolve("openapi.json"), serving.get("/openapi.json").body());
    maven(
        directory,
        "dependency:copy",
        "-Dartifact=org.openapitools:" + GENERATOR + ":" + GENERATOR_VERSION,
        "-Dmdep.stripVersion=true",
        "-DoutputDirectory=" + directory);
  }

  @AfterAll
  static void stop() {
    if (serving != null) {
      serving.close();
    }
  }

  @Test
  void javaCalls() throws Exception {
    Path client = directory.resolve("java");
    generate(client, "java", "--library", "native");
    copy("Calls.java.txt", client.resolve("src/main/java/Calls.java"));
    maven(client, "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath");
    String classes =
        "target/classes" + File.pathSeparator + Files.readString(client.resolve("classpath"));
    assertCalls(client, Map.of(), JAVA, "-cp", classes, "Calls");
  }

  @Test
  void typeScriptCalls() throws Exception {
    Path project = directory.resolve("typescript");
    generate(project.resolve("client"), "typescript-fetch");
    install(
        project,
        "npm",
        "install",
        "--no-audit",
        "--no-fund",
        "--prefix=.",
        "typescript@5.9.3",
        "@types/node@20.19.25");
    copy("calls.ts", project.resolve("calls.ts"));
    run(
        project,
        Map.of(),
        "node_modules/.bin/tsc",
        "--strict",
        "--skipLibCheck",
        "--target",
        "es2022",
        "--module",
        "commonjs",
        "calls.ts");
    assertCalls(project, Map.of(), "node", "calls.js");
  }

  @Test
  void goCalls() throws Exception {
    Path path = directory.resolve("go");
    generate(path.resolve("src/openapi"), "go", "--additional-properties=withGoMod=false");
    install(path, "sh", "-c", "go version && ls " + DEBIAN_GO + "/src/gopkg.in/validator.v2");
    copy("calls.go", path.resolve("src/calls/calls.go"));
    Map<String, String> environment =
        Map.of(
            "GO111MODULE",
            "off",
            "GOPATH",
            path + File.pathSeparator + DEBIAN_GO,
            "GOCACHE",
            path.resolve("cache").toString());
    run(path, environment, "go", "build", "-o", "program", "calls");
    assertCalls(path, environment, path.resolve("program").toString());
  }

  @Test
  void pythonCalls() throws Exception {
    Path client = directory.resolve("python");
    generate(client, "python-pydantic-v1");
    install(
        client,
        "python3",
        "-c",
        "import pydantic, dateutil, urllib3; assert pydantic.VERSION < '2', pydantic.VERSION");
    copy("calls.py", client.resolve("calls.py"));
    assertCalls(client, Map.of("PYTHONDONTWRITEBYTECODE", "1"), "python3", "calls.py");
  }

  private static void assertCalls(Path folder, Map<String, String> environment, String... program)
      throws Exception {
    List<String> command = new ArrayList<>(List.of(program));
    command.add(serving.uri("").toString());
    long issued = issued() + 3;
    assertThat(run(folder, environment, command.toArray(String[]::new)))
        .isEqualTo(
            """
            ids 3
            classic of [orders]
            true
            uuid7 version 7
            true
            %s
            %d
            held
            numbers
            null
            ready
            400
            """
                .formatted(IdLayout.named().keySet().iterator().next(), issued));
  }

  private static long issued() {
    return serving.server().service().namespaces().statuses().stream()
        .filter(SnowflakeStatus.class::isInstance)
        .mapToLong(status -> ((SnowflakeStatus) status).stats().issued())
        .sum();
  }

  private static void generate(Path client, String language, String... options) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                JAVA,
                "-jar",
                GENERATOR + ".jar",
                "generate",
                "-i",
                "openapi.json",
                "-o",
                client.toString(),
                "-g",
                language));
    command.addAll(List.of(options));
    run(directory, Map.of(), command.toArray(String[]::new));
  }

  private static void copy(String resource, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (InputStream in = GeneratedClientsTest.class.getResourceAsStream("clients/" + resource)) {
      Files.copy(Objects.requireNonNull(in), to);
    }
  }

  private static void maven(Path folder, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("firn.maven.home"), "bin", "mvn").toString(),
                "--batch-mode",
                "--no-transfer-progress",
                "-Dmaven.repo.local=" + System.getProperty("firn.maven.repo")));
    command.addAll(List.of(arguments));
    run(folder, Map.of(), command.toArray(String[]::new));
  }

  /** Runs what needs something that is installed; without it the test fails, or ends here. */
  private static void install(Path folder, String... command) throws Exception {
    assumeTrue(isInstalled(folder, command), "installed: " + String.join(" ", command));
  }

  private static boolean isInstalled(Path folder, String... command) throws Exception {
    try {
      run(folder, Map.of(), command);
      return true;
    } catch (IOException | AssertionError e) {
      if ("1".equals(System.getenv(REQUIRE))) {
        throw e;
      }
      System.out.println("not tried: " + String.join(" ", command) + ": fails (expected: works)");
      return false;
    }
  }

  /** Returns what a program that ends well prints. */
  private static String run(Path folder, Map<String, String> environment, String... command)
      throws Exception {
    Path out = Files.createTempFile(directory, "out", ".txt");
    Path errors = Files.createTempFile(directory, "errors", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectOutput(out.toFile())
            .redirectError(errors.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    try {
      boolean ended = process.waitFor(400, TimeUnit.SECONDS);
      String printed = Files.readString(out, UTF_8);
      assertThat(ended && process.exitValue() == 0)
          .as("%s%n%s%s", String.join(" ", command), printed, Files.readString(errors, UTF_8))
          .isTrue();
      return printed;
    } finally {
      process.destroyForcibly();
    }
  }
}
