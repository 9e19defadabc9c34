package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class InstalledProgramTest {

  private static final InstalledProgram SOME =
      new InstalledProgram("some", "some-server", "REQUIRE_SOME");

  @TempDir private Path directory;

  @Test
  void aFileThatCanBeExecutedIsFound() throws Exception {
    String path = "/no:" + directory;
    Path file = Files.writeString(directory.resolve("some"), "");
    assertThat(SOME.find(path, null)).isEmpty();
    assertThat(file.toFile().setExecutable(true)).isTrue();
    assertThat(SOME.find(path, null)).contains(file);
    assertThat(SOME.find(path, "1")).contains(file);
  }

  @Test
  void aMissingOneIsNoneOrAnErrorThatSaysHowToGetIt() {
    assertThat(SOME.find("/no:/such", null)).isEmpty();
    assertThat(SOME.find("/no:/such", "0")).isEmpty();
    assertThatThrownBy(() -> SOME.find("/no:/such", "1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("some is not on the PATH; run `apt-get install some-server`");
  }
}
