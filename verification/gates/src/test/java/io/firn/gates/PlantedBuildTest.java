package io.firn.gates;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Each gate of the build turns red. Every test copies the poms, {@code config} and {@code .mvn} of
 * this checkout beside a tiny core, plants one violation there and runs Maven, offline, with what
 * the build around it has downloaded.
 */
@Execution(ExecutionMode.CONCURRENT)
class PlantedBuildTest {
  private static final int LIMIT_MINUTES = 30;

  /** The formatter does not run from here on; see the root pom. */
  private static final int FIRST_JDK_WITHOUT_FORMAT = 25;

  @TempDir Path copy;

  @BeforeEach
  void copyTheBuild() throws IOException {
    copyFile("pom.xml");
    for (String module : Checkout.modules()) {
      copyFile(module + "/pom.xml");
    }
    for (String folder : List.of("config", ".mvn")) {
      try (Stream<Path> files = Files.walk(Checkout.ROOT.resolve(folder))) {
        files
            .filter(Files::isRegularFile)
            .forEach(file -> copyFile(Checkout.ROOT.relativize(file).toString()));
      }
    }
    write(
        "core/src/main/java/module-info.java",
        """
        /** A tiny core. */
        module io.firn.core {
          requires static org.jspecify;

          exports io.firn.time;
        }
        """);
    write(
        "core/src/main/java/io/firn/time/package-info.java",
        """
        /** A tiny core. */
        @NullMarked
        package io.firn.time;

        import org.jspecify.annotations.NullMarked;
        """);
    // The one class that may ask the system for the time.
    write(
        "core/src/main/java/io/firn/time/SystemTimeSource.java",
        """
        package io.firn.time;

        final class SystemTimeSource {
          long nanoTime() {
            return System.nanoTime();
          }
        }
        """);
  }

  @Test
  void theCopyPassesBeforeAnythingIsPlanted() {
    assertGreen(maven("process-classes"));
  }

  @Test
  void formatting() {
    plant("final class Planted { }\n");
    if (Runtime.version().feature() < FIRST_JDK_WITHOUT_FORMAT) {
      assertRed("validate", "format violations", "Planted.java");
    } else {
      assertGreen(maven("validate"));
    }
  }

  @Test
  void lint() {
    plant(
        """
        import java.util.List;

        final class Planted {
          int size(List list) {
            return list.size();
          }
        }
        """);
    assertRed("compile", "Planted.java", "found raw type", "-Werror");
  }

  @Test
  void lintInTests() {
    write(
        "core/src/test/java/io/firn/time/PlantedTest.java",
        """
        package io.firn.time;

        import java.util.List;

        class PlantedTest {
          int size(List list) {
            return list.size();
          }
        }
        """);
    assertRed("test-compile", "PlantedTest.java", "found raw type", "-Werror");
  }

  @Test
  void errorProneAndNullAway() {
    plant(
        """
        final class Planted {
          void check() {
            new IllegalStateException("thrown by nobody");
          }

          String name() {
            return null;
          }
        }
        """);
    assertRed("compile", "Planted.java", "[DeadException]", "[NullAway]");
  }

  @Test
  void dependencyOfCore() {
    plantDependencies("core", "info.picocli:picocli");
    assertRed(
        "validate", "firn-core: its dependencies (expected: nothing;", "info.picocli:picocli");
  }

  @Test
  void dependencyOfAnIntegration() {
    plantDependencies("integrations/hibernate", "info.picocli:picocli");
    Outcome outcome =
        mavenAt("pom.xml", "validate", "--projects", "integrations/hibernate", "--also-make");
    assertThat(outcome.output())
        .contains(
            "firn-hibernate: its dependencies (expected: io.firn:firn-core;",
            "info.picocli:picocli");
    assertThat(outcome.exit()).isEqualTo(1);
  }

  @Test
  void dependencyConvergence() {
    // The two want different versions of jopt-simple.
    plantDependencies("core", "org.openjdk.jmh:jmh-core", "org.openjdk.jcstress:jcstress-core");
    assertRed("validate", "Dependency convergence error for net.sf.jopt-simple:jopt-simple");
  }

  @Test
  void timeWaitingAndRandomness() {
    plant(
        """
        import java.security.SecureRandom;
        import java.time.Clock;
        import java.time.Instant;
        import java.util.UUID;
        import java.util.concurrent.ThreadLocalRandom;
        import java.util.concurrent.TimeUnit;
        import java.util.concurrent.locks.LockSupport;

        final class Planted {
          @SuppressWarnings("all")
          void touch() throws InterruptedException {
            System.currentTimeMillis();
            System.nanoTime();
            Instant.now();
            Clock.systemUTC();
            Thread.sleep(1);
            TimeUnit.SECONDS.sleep(1);
            LockSupport.parkNanos(1);
            wait(1);
            Math.random();
            UUID.randomUUID();
            ThreadLocalRandom.current();
            new SecureRandom();
          }
        }
        """);
    assertRed(
        "process-classes",
        "Time, waiting and randomness have one door",
        "java.lang.System#currentTimeMillis()",
        "java.lang.System#nanoTime()",
        "java.time.Instant#now()",
        "java.time.Clock#systemUTC()",
        "java.lang.Thread#sleep(long)",
        "java.util.concurrent.TimeUnit#sleep(long)",
        "java.util.concurrent.locks.LockSupport#parkNanos(long)",
        "java.lang.Object#wait(long)",
        "java.lang.Math#random()",
        "java.util.UUID#randomUUID()",
        "java.util.concurrent.ThreadLocalRandom",
        "java.security.SecureRandom");
  }

  @Test
  void defaultLocale() {
    plant(
        """
        final class Planted {
          String text() {
            return String.format("%d", 1);
          }
        }
        """);
    assertRed("process-classes", "java.lang.String#format", "default locale");
  }

  @Test
  void systemOut() {
    plant(
        """
        final class Planted {
          void print() {
            System.out.println("");
          }
        }
        """);
    assertRed("process-classes", "java.lang.System#out");
  }

  @Test
  void aQuickBuildAsksNoGate() {
    plant("final class Planted { java.util.List list = null; long t = System.nanoTime(); }\n");
    assertGreen(maven("process-classes", "-Dquick"));
  }

  private void plant(String code) {
    write("core/src/main/java/io/firn/time/Planted.java", "package io.firn.time;\n\n" + code);
  }

  private void plantDependencies(String module, String... planted) {
    StringBuilder dependencies = new StringBuilder("<dependencies>");
    for (String coordinates : planted) {
      String[] parts = coordinates.split(":", 2);
      dependencies.append(
          "<dependency><groupId>%s</groupId><artifactId>%s</artifactId></dependency>"
              .formatted(parts[0], parts[1]));
    }
    try {
      String pom = Files.readString(copy.resolve(module + "/pom.xml"));
      assertThat(pom).containsOnlyOnce("<dependencies>");
      write(module + "/pom.xml", pom.replace("<dependencies>", dependencies.toString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertGreen(Outcome outcome) {
    assertThat(outcome.exit()).as(outcome.output()).isZero();
    assertThat(outcome.output()).contains("BUILD SUCCESS").doesNotContain("[WARNING]");
  }

  private void assertRed(String phase, String... expected) {
    Outcome outcome = maven(phase);
    assertThat(outcome.output()).contains(expected);
    assertThat(outcome.exit()).isEqualTo(1);
  }

  /** Builds core alone, without a look at the other modules. */
  private Outcome maven(String phase, String... options) {
    return mavenAt("core/pom.xml", phase, options);
  }

  private Outcome mavenAt(String pom, String phase, String... options) {
    String home = System.getProperty("firn.maven.home");
    List<String> command = new ArrayList<>();
    command.add(Path.of(home, "bin", "mvn").toString());
    command.addAll(List.of("--batch-mode", "--offline", "--file", pom, phase));
    command.addAll(List.of(options));
    command.add("-Dmaven.repo.local=" + System.getProperty("firn.maven.repo"));
    // Take what is in the local repository, whatever settings brought it there.
    command.add("-Dmaven.legacyLocalRepo=true");
    command.add("-Daether.enhancedLocalRepository.trackingFilename=none");
    Path log = copy.resolve("maven.log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(copy.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("MAVEN_"));
    environment.put("JAVA_HOME", System.getProperty("java.home"));
    environment.put("MAVEN_OPTS", "-Duser.language=en -XX:+UseSerialGC -XX:TieredStopAtLevel=1");
    try {
      Process process = builder.start();
      try {
        assertThat(process.waitFor(LIMIT_MINUTES, TimeUnit.MINUTES)).isTrue();
        return new Outcome(process.exitValue(), Files.readString(log, Charset.defaultCharset()));
      } finally {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private void copyFile(String file) {
    try {
      write(file, Files.readString(Checkout.ROOT.resolve(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void write(String file, String text) {
    try {
      Files.createDirectories(copy.resolve(file).getParent());
      Files.writeString(copy.resolve(file), text, UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Outcome(int exit, String output) {}
}
