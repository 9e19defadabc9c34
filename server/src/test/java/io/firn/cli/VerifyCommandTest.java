package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class VerifyCommandTest {

  private static final long FIRST = IdLayout.CLASSIC.minId(Instant.parse("2026-11-20T00:00:00Z"));

  @TempDir Path directory;

  private final Session session = new Session();

  private String file(String name, String text) throws IOException {
    return Files.writeString(directory.resolve(name), text).toString();
  }

  @Test
  void namesTheLinesOfDuplicatesOfTwoTables() throws IOException {
    long worker = FIRST + (5 << 12);
    String one = file("one", FIRST + "\n" + worker + "\n" + (FIRST + 2) + "\n");
    String other = file("other.csv", "name,id\nx," + worker + "\n");
    String copy = file("copy", Files.readString(Path.of(one)));
    assertThat(session.run("verify", one, copy)).isEqualTo(1);
    Session tables = new Session();
    assertThat(tables.run("verify", "--column", "id", other)).isZero();
    Session both = new Session().in(worker + "\n");
    assertThat(both.run("verify", one, "-")).isEqualTo(1);
    assertThat(both.out())
        .startsWith(
            """
            4 IDs
              3 IDs in %1$s
              1 ID in stdin
            duplicates: 1 ID stands on more than one line, 1 line too many; the first:
              %2$d  %1$s:2, stdin:1
            not ascending: 1 ID is smaller than the one before; the first is %3$d after %2$d at %1$s:3
            smallest %4$d, largest %2$d
            most plausible:
              classic: 2026-11-20T00:00:00.000Z to 2026-11-20T00:00:00.000Z, 2 workers in a sample of 4
            """
                .formatted(one, worker, FIRST + 2, FIRST));
  }

  @Test
  void saysThatThereAreNone() {
    assertThat(session.in("1\n2\n5\n").run("verify", "--layout", "game")).isZero();
    assertThat(session.out())
        .isEqualTo(
            """
            3 IDs
            no duplicates
            ascending
            smallest 1, largest 5
            layout:
              game: 2026-01-01T00:00:00.000Z to 2026-01-01T00:00:00.000Z, 1 worker in a sample of 3
            """);
    Session empty = new Session();
    assertThat(empty.run("verify")).isEqualTo(2);
    assertThat(empty.err()).startsWith("firn: ids: none in the input (expected: at least one)\n");
  }

  @Test
  void stopsAtABadLineUnlessItIsToSkipThem() {
    assertThat(session.in("1\nx\n1\ny\n").run("verify")).isEqualTo(2);
    assertThat(session.out()).isEmpty();
    assertThat(session.err())
        .startsWith("firn: stdin:2: x (expected: an ID of at most 64 bits in decimal)\n");
    Session other = new Session().in("1\nx\n1\ny\n");
    assertThat(other.run("verify", "--skip-bad")).isEqualTo(1);
    assertThat(other.out())
        .startsWith(
            "2 IDs, and 2 lines without one; the first is stdin:2: x (expected: an ID of at most 64"
                + " bits in decimal)\n");
  }

  @Test
  void writesAnObject() {
    assertThat(session.in("9\n7\n9\n").run("verify", "--json", "--layout", "classic")).isEqualTo(1);
    assertThat(session.out())
        .isEqualTo(
            "{\"ids\":3,\"bad_lines\":0,\"repeated_ids\":1,\"extra_lines\":1,\"files\":"
                + "[{\"file\":\"stdin\",\"ids\":3,\"bad_lines\":0}],\"duplicates\":["
                + "{\"id\":\"9\",\"places\":[{\"file\":\"stdin\",\"line\":1},"
                + "{\"file\":\"stdin\",\"line\":3}]}],\"descents\":1,\"first_descent\":"
                + "{\"id\":\"7\",\"before\":\"9\",\"file\":\"stdin\",\"line\":2},"
                + "\"smallest\":\"7\",\"largest\":\"9\",\"layouts\":[{\"layout\":\"classic\","
                + "\"oldest\":\"2026-01-01T00:00:00.000Z\",\"newest\":\"2026-01-01T00:00:00.000Z\","
                + "\"workers_in_sample\":1}]}\n");
  }

  @Test
  void showsNegativeNumbersAsTheyWereRead() {
    assertThat(session.in("-5\n3\n-5\n").run("verify")).isEqualTo(1);
    assertThat(session.out())
        .contains("\n  -5  stdin:1, stdin:3\n")
        .contains("\nnot ascending: 1 ID is smaller than the one before; the first is -5 after 3 ")
        .contains("\nsmallest -5, largest 3\n");
  }

  @Test
  void exitsWithAnotherCodeIfThereIsNoAnswer() throws IOException {
    InputStream cut =
        new SequenceInputStream(
            new ByteArrayInputStream("1\n1\n".getBytes(UTF_8)),
            new InputStream() {
              @Override
              public int read() throws IOException {
                throw new IOException("the disk has gone");
              }

              @Override
              public int read(byte[] target, int from, int length) throws IOException {
                return read();
              }
            });
    assertThat(session.in(cut).run("verify")).isEqualTo(3);
    assertThat(session.out()).isEmpty();
    assertThat(session.err())
        .isEqualTo(
            "firn: The command could not read or write: stdin: the disk has gone;"
                + " check the disk and the other end of the pipe\n");
  }

  @Test
  void saysThatItWaitsForInputOnATerminal() {
    assertThat(session.terminal().in("1\n").run("verify")).isZero();
    assertThat(session.err())
        .startsWith("Reading IDs from the terminal, one per line; Ctrl-D ends the input.\n");
    Session piped = new Session().in("1\n");
    piped.run("verify");
    assertThat(piped.err()).isEmpty();
  }

  @Test
  void showsHowFarItIsOnATerminal() throws IOException {
    String ids = file("ids", "1\n2\n");
    assertThat(session.terminal().run("verify", ids)).isZero();
    assertThat(session.err())
        .startsWith("\r2 IDs [##############################] 100 %  0 s\u001b[K")
        .endsWith("\r\u001b[K");
    Session pipe = new Session();
    pipe.run("verify", ids);
    assertThat(pipe.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "1.5", "2147483648", "+3", "\u0663"})
  void refusesToShowWhatIsNoNumber(String show) {
    assertThat(session.run("verify", "--show", show)).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: show: " + show + " (expected: a whole number up to 2147483647)\n");
  }

  @Test
  void refusesToReadStandardInputTwice() {
    assertThat(session.in("1\n").run("verify", "-", "-")).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: file: - (expected: once, standard input can be read only once)\n");
  }

  /** Each of its IDs would be a duplicate. */
  @Test
  void refusesAFileThatIsGivenTwice() throws IOException {
    Path ids = Files.writeString(directory.resolve("v1"), "1\n2\n");
    String again = directory.resolve(".").resolve("v1").toString();
    for (String second : new String[] {ids.toString(), again}) {
      Session twice = new Session();
      assertThat(twice.run("verify", ids.toString(), second)).isEqualTo(2);
      assertThat(twice.err())
          .startsWith(
              "firn: file: " + second + " (expected: each file once, this one is given twice)\n");
    }
  }

  @Test
  void refusesWhatItCannotRead() {
    assertThat(session.run("verify", directory.resolve("none").toString())).isEqualTo(2);
    assertThat(session.err())
        .startsWith(
            "firn: file: "
                + directory.resolve("none")
                + ", not found (expected: a readable file)\n");
    Session folder = new Session();
    assertThat(folder.run("verify", directory.toString())).isEqualTo(2);
    assertThat(folder.err())
        .startsWith("firn: file: " + directory + " (expected: a readable file)\n");
    Session temp = new Session();
    assertThat(temp.run("verify", "--temp", directory.resolve("none").toString())).isEqualTo(2);
    assertThat(temp.err()).contains("temp: ").contains("(expected: a directory)");
    Session show = new Session();
    assertThat(show.run("verify", "--show", "0")).isEqualTo(2);
    assertThat(show.err()).startsWith("firn: show: 0 (expected: 1..1000)\n");
    Session separator = new Session();
    assertThat(separator.run("verify", "--separator", "ab")).isEqualTo(2);
    assertThat(separator.err())
        .startsWith("firn: separator: ab (expected: one ASCII character, or \\t)\n");
  }
}
