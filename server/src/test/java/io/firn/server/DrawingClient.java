package io.firn.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.IdHistory;
import io.firn.testservers.FirnServer;
import io.firn.testservers.InstalledProgram;
import io.firn.testservers.TestJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A process that draws IDs with one of Firn's own clients, as it is told. */
final class DrawingClient implements AutoCloseable {

  private static final Path CLIENTS = Path.of("..", "clients").toAbsolutePath().normalize();
  private static final long MAX_ANSWER_SECONDS = 120;

  /** A language that there is a client for. */
  enum Language {
    JAVA("", ""),
    NODE("node", "nodejs"),
    PYTHON("python3", "python3"),
    ASYNCIO("python3", "python3"),
    GO("go", "golang-go");

    private final String program;
    private final String debianPackage;

    Language(String program, String debianPackage) {
      this.program = program;
      this.debianPackage = debianPackage;
    }

    /** Returns the languages that are installed here, and prints which are not. */
    static List<Language> installed() {
      return Stream.of(values()).filter(Language::isInstalled).toList();
    }

    private boolean isInstalled() {
      boolean installed =
          this == JAVA
              || new InstalledProgram(program, debianPackage, DocumentedClientsTest.REQUIRE)
                  .isInstalled();
      if (!installed) {
        System.out.println("not tried: " + this + ", " + program + " is not on the PATH");
      }
      return installed;
    }

    private List<String> command(Path directory) throws Exception {
      return switch (this) {
        case JAVA -> TestJvm.command(DrawIds.class.getName(), List.of());
        case NODE -> List.of("node", CLIENTS.resolve("node/test/draw.mjs").toString());
        case PYTHON -> List.of("python3", CLIENTS.resolve("python/tests/draw.py").toString());
        case ASYNCIO ->
            List.of("python3", CLIENTS.resolve("python/tests/draw_asyncio.py").toString());
        case GO -> List.of(built(directory.resolve("draw")));
      };
    }

    /** Returns how a code block of this language begins. */
    String fence() {
      return switch (this) {
        case NODE -> "js";
        case ASYNCIO -> "python";
        default -> name().toLowerCase(Locale.ROOT);
      };
    }

    private static String built(Path program) throws Exception {
      if (Files.exists(program)) {
        return program.toString();
      }
      Process build =
          new ProcessBuilder("go", "build", "-o", program.toString(), "./internal/draw")
              .directory(CLIENTS.resolve("go").toFile())
              .inheritIO()
              .start();
      assertThat(build.waitFor()).isZero();
      return program.toString();
    }
  }

  private final Language language;
  private final Process process;
  private final Writer in;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final AtomicLong drawn = new AtomicLong();
  private final Thread reader;
  private volatile IdHistory.@Nullable Writer history;

  /**
   * Starts one.
   *
   * @param directory for what is built, if it is not there already
   * @param settings such as {@code batch=100}
   */
  DrawingClient(Language language, Path directory, String... settings) throws Exception {
    this.language = language;
    List<String> command = new ArrayList<>(language.command(directory));
    command.addAll(List.of(settings));
    process = builder(command).start();
    in = process.outputWriter(UTF_8);
    reader = new Thread(this::read, "output of " + language);
    reader.start();
  }

  /** Runs a program that has the client installed, and returns what it prints. */
  static String run(Language language, String text, Path directory) throws Exception {
    List<String> command =
        switch (language) {
          case NODE -> {
            Path module =
                Files.createDirectories(directory.resolve("node_modules").resolve("firn-client"));
            for (String file : List.of("package.json", "index.js")) {
              Files.copy(CLIENTS.resolve("node").resolve(file), module.resolve(file));
            }
            yield List.of("node", Files.writeString(directory.resolve("a.mjs"), text).toString());
          }
          case PYTHON, ASYNCIO ->
              List.of(
                  "python3",
                  Files.writeString(directory.resolve(language + ".py"), text).toString());
          default -> {
            Files.writeString(
                directory.resolve("go.mod"),
                "module example\n\ngo 1.19\n\nrequire firn.io/client v0.0.0\n\n"
                    + "replace firn.io/client => "
                    + CLIENTS.resolve("go")
                    + "\n");
            Files.writeString(directory.resolve("main.go"), text);
            yield List.of("go", "run", ".");
          }
        };
    Process process = builder(command).directory(directory.toFile()).start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).isZero();
    return out;
  }

  private static ProcessBuilder builder(List<String> command) {
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    FirnServer.clearSettings(builder.environment());
    builder.environment().put("PYTHONPATH", CLIENTS.resolve("python").toString());
    builder.environment().put("PYTHONDONTWRITEBYTECODE", "1");
    return builder;
  }

  private void read() {
    try (BufferedReader out = process.inputReader(UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        IdHistory.Writer ids = history;
        if (ids != null && Character.isDigit(line.charAt(0))) {
          ids.add(Long.parseLong(line));
          drawn.incrementAndGet();
        } else {
          answers.add(line);
        }
      }
    } catch (IOException e) {
      answers.add("closed: " + e);
    } finally {
      answers.add("ended");
    }
  }

  private void say(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  /** Returns the next answer that is not an ID of {@link #draw}. */
  String answer() throws InterruptedException {
    String answer = answers.poll(MAX_ANSWER_SECONDS, TimeUnit.SECONDS);
    return answer == null ? "no answer in " + MAX_ANSWER_SECONDS + " s" : answer;
  }

  /** Draws one: the ID, or why there is none. */
  String next() throws Exception {
    say("next");
    return answer();
  }

  /** Draws one in this process and one in a child that begins as its copy: two answers. */
  void fork() throws IOException {
    say("fork");
  }

  /** Draws in four threads or tasks until {@link #stop}. */
  void draw(IdHistory.Writer history) throws IOException {
    this.history = history;
    say("draw 4");
  }

  /** Waits until it has drawn so many more. */
  void awaitDrawn(long more) throws InterruptedException {
    long begin = System.nanoTime();
    long wanted = drawn.get() + more;
    while (drawn.get() < wanted) {
      assertThat(reader.isAlive()).as("%s runs", language).isTrue();
      assertThat(System.nanoTime() - begin)
          .as("%s draws; answers: %s", language, answers)
          .isLessThan(TimeUnit.SECONDS.toNanos(MAX_ANSWER_SECONDS));
      Thread.sleep(5);
    }
  }

  /** Ends drawing, and returns the answers that are no IDs; the last one says how it went. */
  List<String> stop() throws Exception {
    say("stop");
    List<String> said = new ArrayList<>();
    do {
      said.add(answer());
    } while (said.get(said.size() - 1).startsWith("failed"));
    return said;
  }

  /** Ends its input, and returns the exit code: a client that is closed keeps no process alive. */
  int end() throws Exception {
    in.close();
    assertThat(process.waitFor(MAX_ANSWER_SECONDS, TimeUnit.SECONDS)).isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly().onExit().join();
  }

  @Override
  public String toString() {
    return language + " drew " + drawn.get();
  }
}
