package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.TestJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The archive of classes with which the processes of these tests start sooner. */
class ClassDataTest {

  @TempDir Path directory;

  @Test
  void processesTakeTheirClassesFromTheArchive() throws Exception {
    Path loaded = directory.resolve("loaded");
    List<String> command =
        new ArrayList<>(TestJvm.command("io.firn.cli.Main", List.of("decode", "1")));
    command.add(1, "-Xlog:class+load:file=" + loaded);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    assertThat(process.getInputStream().readAllBytes()).asString().contains("classic");
    assertThat(Files.readString(loaded))
        .containsPattern(" io\\.firn\\.cli\\.Cli source: shared objects file")
        .containsPattern(" picocli\\.CommandLine source: shared objects file");
  }
}
