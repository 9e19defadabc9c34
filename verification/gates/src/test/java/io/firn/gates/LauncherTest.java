package io.firn.gates;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The launcher builds when its jar is missing or older than a source, and only then. It runs in a
 * checkout of one source, with scripts in place of Maven and Java that write down their calls.
 */
class LauncherTest {
  private static final String WHOLE_JAR = "content" + "PK\5\6" + "\0".repeat(18);
  private static final Instant OLD = Instant.parse("2026-01-01T00:00:00Z");
  private static final Instant NEWER = OLD.plusSeconds(60);
  private static final Instant NEWEST = NEWER.plusSeconds(60);

  @TempDir Path checkout;

  private final Map<String, String> variables =
      new HashMap<>(Map.of("LC_ALL", "", "LC_CTYPE", "", "LANG", ""));

  private Path jar;
  private Path quickJar;
  private Path source;

  @BeforeEach
  void makeACheckout() throws IOException {
    jar = checkout.resolve("server/target/firn.jar");
    quickJar = checkout.resolve("server/target/quick/firn.jar");
    source = write("core/src/main/java/Source.java", "source", NEWER);
    write("pom.xml", "pom", OLD);
    for (String folder : new String[] {"backends", "testkit"}) {
      Files.createDirectories(checkout.resolve(folder));
    }
    write("jdk/release", "JAVA_VERSION=\"17.0.1\"\n", OLD);
    script("jdk/bin/java", "echo java \"$@\" >>\"$CALLS\"");
    script(
        "maven/bin/mvn",
        """
        [ "$1" != -version ] || { echo "Apache Maven 3.9.0"; exit; }
        echo mvn "$@" >>"$CALLS"
        for jar in server/target/quick/firn.jar verification/benchmarks/target/quick/benchmarks.jar; do
          mkdir -p "${jar%/*}"
          printf 'built, PK\\005\\006------------------' >"$jar"
        done
        """);
    for (String launcher : new String[] {"firn", "server/src/dist/launch.sh"}) {
      copy(launcher, checkout.resolve(launcher));
    }
  }

  @Test
  void buildsAJarThatIsMissing() throws Exception {
    assertThat(launch()).contains("mvn -B -ntp -Dquick").endsWith("firn.jar --version\n");
    assertThat(jar).content(ISO_8859_1).startsWith("built, ");
  }

  @Test
  void buildsAJarThatIsOlderThanASource() throws Exception {
    write(jar, WHOLE_JAR, OLD);
    assertThat(launch()).contains("mvn ");
    assertThat(jar).content(ISO_8859_1).startsWith("built, ");
  }

  @Test
  void startsAJarThatIsNewerThanTheSourcesWithoutABuild() throws Exception {
    write(jar, WHOLE_JAR, NEWEST);
    assertThat(launch()).doesNotContain("mvn ").endsWith("firn.jar --version\n");
  }

  @Test
  void takesTheJarOfAQuickBuildWithoutABuild() throws Exception {
    write(jar, "old", OLD);
    write(quickJar, WHOLE_JAR, NEWEST);
    assertThat(launch()).doesNotContain("mvn ").endsWith("firn.jar --version\n");
    assertThat(jar).content(ISO_8859_1).isEqualTo(WHOLE_JAR);
    assertThat(launch()).doesNotContain("mvn ");
  }

  @Test
  void usesTheLibrariesBesideTheJarOfAQuickBuild() throws Exception {
    write("server/target/lib/kept-1.jar", "in use", OLD);
    write("server/target/quick/lib/kept-1.jar", "the same", NEWEST);
    write("server/target/quick/lib/new-2.jar", "new", NEWEST);
    write(quickJar, WHOLE_JAR, NEWEST);
    launch();
    assertThat(checkout.resolve("server/target/lib/kept-1.jar")).hasContent("in use");
    assertThat(checkout.resolve("server/target/lib/new-2.jar")).hasContent("new");
  }

  @Test
  void leavesTheJarOfAnOlderQuickBuild() throws Exception {
    write(jar, "full build", NEWEST);
    write(quickJar, WHOLE_JAR, NEWER);
    assertThat(launch()).doesNotContain("mvn ");
    assertThat(jar).content(ISO_8859_1).isEqualTo("full build");
  }

  @Test
  void leavesAJarThatAQuickBuildIsWriting() throws Exception {
    write(jar, "full build", NEWER);
    write(quickJar, WHOLE_JAR.substring(0, 20), NEWEST);
    assertThat(launch()).doesNotContain("mvn ");
    assertThat(jar).content(ISO_8859_1).isEqualTo("full build");
  }

  @Test
  void isSilentAboutAJarThatAnotherLauncherTakesFirst() throws Exception {
    write(jar, WHOLE_JAR, NEWER);
    write(quickJar, WHOLE_JAR, NEWEST);
    script("bin/tail", "rm \"$3\" && PATH=${PATH#*:} exec tail \"$@\"");
    variables.put("PATH", checkout.resolve("bin") + ":" + System.getenv("PATH"));
    assertThat(launch()).doesNotContain("mvn ").endsWith("firn.jar --version\n");
    assertThat(quickJar).doesNotExist();
    assertThat(checkout.resolve("log")).content().doesNotContain("tail");
  }

  @Test
  void buildsAgainWhenASourceIsNewerThanTheQuickBuild() throws Exception {
    write(quickJar, WHOLE_JAR, OLD);
    Files.setLastModifiedTime(source, FileTime.from(NEWEST));
    assertThat(launch()).contains("mvn ");
    assertThat(jar).content(ISO_8859_1).startsWith("built, ");
  }

  @Test
  void onlyLongRunningCommandsAreCompiledASecondTime() throws Exception {
    write(jar, WHOLE_JAR, NEWEST);
    assertThat(lastOf(launch("./firn", "next"))).contains("-XX:TieredStopAtLevel=1");
    for (String[] lasting : new String[][] {{"serve"}, {"next", "-n", "9"}, {"verify", "ids"}}) {
      assertThat(lastOf(launch("./firn", lasting))).doesNotContain("-XX:TieredStopAtLevel");
    }
  }

  @Test
  void onlyVerifyItselfHandlesThatMemoryRunsOut() throws Exception {
    write(jar, WHOLE_JAR, NEWEST);
    assertThat(lastOf(launch("./firn", "verify", "ids")))
        .doesNotContain("-XX:+ExitOnOutOfMemoryError");
    for (String command : new String[] {"serve", "next"}) {
      assertThat(lastOf(launch("./firn", command))).contains("-XX:+ExitOnOutOfMemoryError");
    }
  }

  @Test
  void makesAnArchiveAgainWhenTheLauncherThatMadeItWasKilled() throws Exception {
    write(jar, WHOLE_JAR, NEWEST);
    Path archive = jar.resolveSibling("firn.jsa");
    Path lock = Files.createDirectory(jar.resolveSibling("firn.jsa.lock"));
    Files.setLastModifiedTime(lock, FileTime.from(Instant.now().minusSeconds(300)));
    launch();
    assertThat(lock).exists();
    assertThat(archive).doesNotExist();
    Files.setLastModifiedTime(lock, FileTime.from(Instant.now().minusSeconds(900)));
    launch();
    assertThat(lock).doesNotExist();
    assertThat(archive).exists();
  }

  @Test
  void showsTheHelpOfACommandThatHasAJarOfItsOwn() throws Exception {
    write("verification/simulation/target/simulation.jar", WHOLE_JAR, NEWEST);
    assertThat(launch("./firn", "help", "simulate")).endsWith("simulation.jar --help\n");
  }

  @Test
  void buildsTheBenchmarksWhenABackendIsNewer() throws Exception {
    write("verification/benchmarks/target/benchmarks.jar", WHOLE_JAR, NEWER);
    assertThat(launch("./firn", "bench")).doesNotContain("mvn ").endsWith("benchmarks.jar\n");
    write("backends/redis/src/main/java/Store.java", "source", NEWEST);
    assertThat(launch("./firn", "bench")).contains("mvn ").endsWith("benchmarks.jar\n");
    assertThat(launch("./firn", "bench")).doesNotContain("mvn ");
  }

  @Test
  void startsAnInstalledJarThroughALink() throws Exception {
    Path installed = checkout.resolve("usr/lib/firn");
    write(installed.resolve("firn.jar"), WHOLE_JAR, OLD);
    copy("server/src/dist/launch.sh", installed.resolve("launch.sh"));
    copy("server/src/dist/bin/firn", installed.resolve("bin/firn"));
    Path link = Files.createDirectories(checkout.resolve("usr/bin")).resolve("firn");
    Files.createSymbolicLink(link, Path.of("../lib/firn/bin/firn"));
    assertThat(launch("usr/bin/firn", "--version"))
        .doesNotContain("mvn ")
        .endsWith(" -jar " + installed.toRealPath().resolve("firn.jar") + " --version\n");
  }

  /** A JVM in the locale C, as under cron, cannot open a file whose name is not ASCII. */
  @Test
  void namesFilesBeyondAsciiInTheLocaleC() throws Exception {
    write(jar, WHOLE_JAR, NEWEST);
    script("jdk/bin/java", "echo locale \"$LC_ALL\" >>\"$CALLS\"");
    for (String locale : new String[] {"", "C", "POSIX"}) {
      variables.put("LC_ALL", locale);
      assertThat(launch()).as(locale).endsWith("locale C.UTF-8\n");
    }
    variables.put("LC_ALL", "de_DE.UTF-8");
    assertThat(launch()).endsWith("locale de_DE.UTF-8\n");
  }

  private static String lastOf(String calls) {
    return calls.substring(calls.stripTrailing().lastIndexOf('\n') + 1);
  }

  private String launch() throws IOException, InterruptedException {
    return launch("./firn", "--version");
  }

  /** Runs a launcher and returns the calls of Maven and Java. */
  private String launch(String launcher, String... arguments)
      throws IOException, InterruptedException {
    Path calls = checkout.resolve("calls");
    Files.deleteIfExists(calls);
    Path log = checkout.resolve("log");
    // A file that comes or goes makes its folder newer; here the time of files is what counts.
    try (Stream<Path> folders = Files.walk(checkout).filter(Files::isDirectory)) {
      for (Path folder : folders.filter(each -> !each.toString().endsWith(".lock")).toList()) {
        Files.setLastModifiedTime(folder, FileTime.from(OLD));
      }
    }
    ProcessBuilder builder =
        new ProcessBuilder(Stream.concat(Stream.of("sh", launcher), Stream.of(arguments)).toList())
            .directory(checkout.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "CALLS", calls.toString(),
                "JAVA_HOME", checkout.resolve("jdk").toString(),
                "MAVEN_HOME", checkout.resolve("maven").toString()));
    builder.environment().putAll(variables);
    Process process = builder.start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(Files.readString(log)).isZero();
    return Files.readString(calls);
  }

  private static void copy(String launcher, Path copy) throws IOException {
    Files.createDirectories(copy.getParent());
    Files.copy(Checkout.ROOT.resolve(launcher), copy);
    Files.setLastModifiedTime(copy, FileTime.from(OLD));
  }

  private void script(String file, String commands) throws IOException {
    Path script = write(file, "#!/bin/sh\n" + commands + "\n", OLD);
    assertThat(script.toFile().setExecutable(true)).isTrue();
  }

  private Path write(String file, String text, Instant modified) throws IOException {
    return write(checkout.resolve(file), text, modified);
  }

  private static Path write(Path file, String text, Instant modified) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text, ISO_8859_1);
    return Files.setLastModifiedTime(file, FileTime.from(modified));
  }
}
