package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FailuresTest {

  private final Session session = new Session();

  @ParameterizedTest
  @ValueSource(strings = {"Broken pipe", "Datenuebergabe unterbrochen (broken pipe)"})
  void endsQuietlyWhenTheReaderClosesThePipe(String words) {
    session.out(failing(words));
    assertThat(session.run("next", "-n", "9223372036854775807", "--worker", "1")).isZero();
    assertThat(session.err()).isEmpty();
  }

  @Test
  void endsQuietlyAtAClosedPipeInEveryCommand() {
    session.out(failing("Broken pipe"));
    assertThat(session.run("layout")).isZero();
    assertThat(session.run("decode", "175928847299117063")).isZero();
    assertThat(session.run("completion")).isZero();
    assertThat(session.err()).isEmpty();
  }

  @Test
  void failsWhenTheOutputCannotBeWritten() {
    session.out(failing("No space left on device"));
    assertThat(session.run("next", "--worker", "1")).isEqualTo(1);
    assertThat(session.err())
        .isEqualTo(
            "firn: The command could not read or write: No space left on device;"
                + " check the disk and the other end of the pipe\n");
  }

  @Test
  void failsWhenAFileWithPipeInItsNameCannotBeWritten() {
    List<IOException> failures =
        List.of(
            new FileSystemException("/pipes/ids", null, "No space left on device"),
            new IOException("temporary file in /pipes", new IOException("No space left")));
    for (IOException failure : failures) {
      Session other = new Session().out(failing(failure));
      assertThat(other.run("next", "--worker", "1")).isEqualTo(1);
      assertThat(other.err())
          .isEqualTo(
              "firn: The command could not read or write: "
                  + failure.getMessage()
                  + "; check the disk and the other end of the pipe\n");
    }
  }

  /** A buffer keeps what could not be written, as that of the process does. */
  @Test
  void failsWhenTheHelpCannotBeWritten() {
    for (String words : new String[] {"--help", "help", "next --help", "help next"}) {
      Session full = new Session().out(buffered("No space left on device"));
      assertThat(full.run(words.split(" "))).isEqualTo(1);
      assertThat(full.err())
          .startsWith("firn: The command could not read or write: No space left on device;")
          .hasLineCount(1);
      Session closed = new Session().out(buffered("Broken pipe"));
      assertThat(closed.run(words.split(" "))).isZero();
      assertThat(closed.err()).isEmpty();
    }
  }

  private static OutputStream buffered(String message) {
    return new BufferedOutputStream(failing(message));
  }

  @Test
  void failsWhenTheInputCannotBeRead() {
    session.in(new UnreadableInput());
    assertThat(session.run("decode")).isEqualTo(1);
    assertThat(session.err())
        .isEqualTo(
            "firn: The command could not read or write: Is a directory;"
                + " check the disk and the other end of the pipe\n");
  }

  @Test
  void reportsAnUnexpectedExceptionInOneLine() {
    session.out(new Defective());
    assertThat(session.run("layout")).isEqualTo(1);
    assertThat(session.err())
        .isEqualTo(
            "firn: The command failed unexpectedly: java.lang.IllegalStateException: a defect;"
                + " run it again with --trace, and report what it prints\n");
  }

  @Test
  void showsTheStackOfAnUnexpectedExceptionWhenTraced() {
    session.out(new Defective());
    assertThat(session.run("layout", "--trace")).isEqualTo(1);
    assertThat(session.err()).contains("\tat io.firn.cli.LayoutCommand.call");
    Session byEnvironment = new Session().out(new Defective()).traced();
    assertThat(byEnvironment.run("layout")).isEqualTo(1);
    assertThat(byEnvironment.err()).contains("\tat io.firn.cli.LayoutCommand.call");
  }

  private static OutputStream failing(String message) {
    return failing(new IOException(message));
  }

  private static OutputStream failing(IOException failure) {
    return new OutputStream() {
      @Override
      public void write(int b) throws IOException {
        throw failure;
      }
    };
  }

  private static final class UnreadableInput extends InputStream {
    @Override
    public int read() throws IOException {
      throw new IOException("Is a directory");
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      throw new IOException("Is a directory");
    }
  }

  private static final class Defective extends OutputStream {
    @Override
    public void write(int b) {
      throw new IllegalStateException("a defect");
    }
  }
}
