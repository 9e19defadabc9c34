package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class SharedDirectoriesTest {

  private final String name = "test-" + System.nanoTime();

  private Path fill(String file) {
    return SharedDirectories.of(name, directory -> Files.createFile(directory.resolve(file)));
  }

  @Test
  void directoryIsMadeOnce() {
    Path made = fill("first");
    assertThat(fill("second")).isEqualTo(made);
    assertThat(made).isDirectoryContaining("glob:**/first");
    assertThat(made.resolve("second")).doesNotExist();
  }

  @Test
  void directoryThatCouldNotBeFilledIsMadeAgain() {
    assertThatThrownBy(
            () ->
                SharedDirectories.of(
                    name,
                    directory -> {
                      Files.createFile(directory.resolve("half"));
                      throw new IOException("no space left");
                    }))
        .hasMessageContaining("no space left");
    assertThat(fill("whole").resolve("half")).doesNotExist();
  }
}
