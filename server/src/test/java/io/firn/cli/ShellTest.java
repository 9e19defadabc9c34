package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class ShellTest {

  private static final Path OF_HOME = Path.of("/home/a/.local/state/firn");

  @Test
  void keepsItsStateWhereTheUserSetsIt() {
    assertThat(Shell.stateDirectory(Map.of("XDG_STATE_HOME", "/var/lib/a"), "/home/a"))
        .isEqualTo(Path.of("/var/lib/a/firn"));
    assertThat(Shell.stateDirectory(Map.of(), "/home/a")).isEqualTo(OF_HOME);
    assertThat(Shell.stateDirectory(Map.of("HOME", "/home/a"), "?")).isEqualTo(OF_HOME);
    assertThat(Shell.stateDirectory(Map.of("HOME", "/home/a"), "/home/b")).isEqualTo(OF_HOME);
    for (String relative : new String[] {"home/b", ".", "~", ""}) {
      assertThat(Shell.stateDirectory(Map.of("HOME", relative), "/home/a")).isEqualTo(OF_HOME);
      assertThat(Shell.stateDirectory(Map.of("HOME", relative), "?")).isNull();
    }
  }

  /** The same relative path is another directory for each process. */
  @Test
  void ignoresARelativeStateDirectory() {
    for (String relative : new String[] {"state", "./state", "~/state", ""}) {
      assertThat(Shell.stateDirectory(Map.of("XDG_STATE_HOME", relative), "/home/a"))
          .isEqualTo(OF_HOME);
    }
  }

  @Test
  void hasNoStateDirectoryWithoutAHomeThatItCanName() {
    assertThat(Shell.stateDirectory(Map.of(), "?")).isNull();
    assertThat(Shell.stateDirectory(Map.of(), "")).isNull();
    assertThat(Shell.stateDirectory(Map.of(), "/home/\0")).isNull();
  }
}
