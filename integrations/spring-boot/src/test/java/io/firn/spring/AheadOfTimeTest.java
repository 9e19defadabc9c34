package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplicationAotProcessor;
import org.springframework.context.aot.AbstractAotProcessor;

/** Tests that an application processed ahead of time runs from the generated classes alone. */
final class AheadOfTimeTest {

  private static final String CLASS_PATH = System.getProperty("java.class.path");
  private static final int LIMIT_SECONDS = 300;

  private static final String[] PROPERTIES = {
    "--firn.store=memory:",
    "--firn.namespaces.default.layout=js_safe",
    "--firn.namespaces.orders.layout=twitter",
    "--firn.namespaces.invoices.type=segment"
  };

  @TempDir Path directory;

  @Test
  void runsAfterProcessing() throws Exception {
    process();
    compile();
    assertThat(run().lines())
        .filteredOn(line -> line.contains(" issued "))
        .hasSize(4)
        .anyMatch(line -> line.matches("defaultIds issued \\d{9,16}"))
        .anyMatch(line -> line.matches("ordersIds issued \\d{18,19}"))
        .anyMatch(line -> line.equals("invoicesIds issued 1"))
        .anyMatch(line -> line.matches("primary issued \\d{9,16}"));
    assertThat(directory.resolve("classes/META-INF/native-image"))
        .isDirectoryRecursivelyContaining("glob:**.json");
  }

  private void process() {
    AbstractAotProcessor.Settings settings =
        AbstractAotProcessor.Settings.builder()
            .sourceOutput(directory.resolve("sources"))
            .resourceOutput(directory.resolve("classes"))
            .classOutput(directory.resolve("classes"))
            .groupId("io.firn")
            .artifactId("aot")
            .build();
    new SpringApplicationAotProcessor(AheadOfTimeApplication.class, settings, PROPERTIES).process();
  }

  private void compile() throws IOException {
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter messages = new StringWriter();
    try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, UTF_8);
        Stream<Path> sources = Files.walk(directory.resolve("sources"))) {
      List<Path> all = sources.filter(path -> path.toString().endsWith(".java")).toList();
      String classes = directory.resolve("classes").toString();
      boolean compiled =
          compiler
              .getTask(
                  messages,
                  files,
                  null,
                  List.of("-d", classes, "-cp", classes + ":" + CLASS_PATH, "-nowarn"),
                  null,
                  files.getJavaFileObjectsFromPaths(all))
              .call();
      assertThat(compiled).as(messages.toString()).isTrue();
    }
  }

  private String run() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of("-Dspring.aot.enabled=true", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(directory.resolve("classes") + ":" + CLASS_PATH);
    command.add(AheadOfTimeApplication.class.getName());
    command.addAll(List.of(PROPERTIES));
    Path out = directory.resolve("out");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    try {
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    String text = Files.readString(out);
    assertThat(process.exitValue()).as(text).isZero();
    return text;
  }
}
