package io.firn.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.Sources;
import io.firn.server.http.HttpProtocol;
import io.firn.server.redis.RedisProtocol;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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
 * The examples of {@code docs/using/server.md} print IDs, as far as their languages are installed
 * here. The output names those that are not, or the test fails, if {@value #REQUIRE} is 1.
 */
@Timeout(120)
final class DocumentedClientsTest {

  static final String REQUIRE = "FIRN_REQUIRE_CLIENTS";
  private static final String EXPECTED =
      "after `apt-get install curl redis-tools nodejs golang-go python3-redis`";
  private static final Pattern BLOCK =
      Pattern.compile("```(sh|python|js|go)\n(.*?)\n```", Pattern.DOTALL);

  private static Server server;

  @TempDir Path directory;

  /** An example, and how to find out whether it can run. */
  private record Example(String language, String text) {

    String name() {
      return language.equals("sh") ? text.substring(0, text.indexOf(' ')) : language;
    }

    List<String> probe() {
      return switch (language) {
        case "sh" -> List.of(name(), "--version");
        case "python" -> List.of("python3", "-c", "import redis");
        case "js" -> List.of("node", "-e", "fetch");
        default -> List.of("go", "version");
      };
    }

    List<String> command(Path file) {
      return switch (language) {
        case "sh" -> List.of("sh", file.toString());
        case "python" -> List.of("python3", file.toString());
        case "js" -> List.of("node", file.toString());
        default -> List.of("go", "run", file.toString());
      };
    }

    String fileName() {
      return switch (language) {
        case "sh" -> "example.sh";
        case "python" -> "example.py";
        case "js" -> "example.mjs";
        default -> "example.go";
      };
    }
  }

  @BeforeAll
  static void start() {
    Map<String, String> flags =
        Map.of(
            "--listen-http", "127.0.0.1:0",
            "--listen-redis", "127.0.0.1:0",
            "--listen-thrift", "off");
    server =
        Server.start(
            Sources.of(flags, Map.of(), "memory:").read(),
            TimeSource.system(),
            service -> List.of(new HttpProtocol(service), new RedisProtocol(service)));
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static List<Example> examples() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "using", "server.md"));
    String section = page.substring(page.indexOf("## From any language"));
    Matcher blocks = BLOCK.matcher(section.substring(0, section.indexOf("\n## ", 1)));
    List<Example> examples = new ArrayList<>();
    while (blocks.find()) {
      examples.add(new Example(blocks.group(1), blocks.group(2)));
    }
    return examples;
  }

  @Test
  void thereIsOneForEachLanguage() throws Exception {
    assertThat(examples().stream().map(Example::name))
        .containsExactly("curl", "redis-cli", "python", "js", "go");
  }

  @TestFactory
  Stream<DynamicTest> printsIds() throws Exception {
    return examples().stream()
        .filter(DocumentedClientsTest::canRun)
        .map(example -> DynamicTest.dynamicTest(example.name(), () -> printsIds(example)));
  }

  private static boolean canRun(Example example) {
    try {
      Process probe = new ProcessBuilder(example.probe()).redirectErrorStream(true).start();
      probe.getInputStream().readAllBytes();
      if (probe.onExit().join().exitValue() == 0) {
        return true;
      }
    } catch (IOException e) {
      // no such program
    }
    String missing =
        String.join(" ", example.probe()) + ": fails (expected: works, " + EXPECTED + ")";
    if ("1".equals(System.getenv(REQUIRE))) {
      throw new IllegalStateException(missing);
    }
    System.out.println("not tried: " + missing);
    return false;
  }

  private void printsIds(Example example) throws Exception {
    Path file = Files.writeString(directory.resolve(example.fileName()), placed(example.text()));
    Process process =
        new ProcessBuilder(example.command(file))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      String out = new String(process.getInputStream().readAllBytes(), UTF_8);
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      assertThat(out).matches("([0-9]+\n)+");
    } finally {
      process.destroyForcibly();
    }
  }

  private static String placed(String text) {
    return text.replace("7608", port("http")).replace("7606", port("redis"));
  }

  private static String port(String protocol) {
    return "" + server.addresses().get(protocol).getPort();
  }
}
