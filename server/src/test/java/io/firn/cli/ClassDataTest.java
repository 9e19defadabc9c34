package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.FirnServer;
import io.firn.testservers.TestJvm;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
    assertThat(Files.readString(loaded)).contains(" io.firn.IdLayout source: shared objects file");
  }

  /** As the image does in its build. */
  @Test
  void anArchiveIsMadeAtTheEndOfARun() throws Exception {
    List<String> here = TestJvm.command("", List.of());
    String jars =
        Stream.of(here.get(here.indexOf("-cp") + 1).split(File.pathSeparator, -1))
            .filter(entry -> entry.endsWith(".jar"))
            .collect(Collectors.joining(File.pathSeparator));
    Path archive = directory.resolve("archive");
    String image = Files.readString(Path.of("..", "docs", "operating", "Containerfile"));
    Matcher run =
        Pattern.compile("RUN java (.+)-jar \\S+ ([^#]+?)\nENV")
            .matcher(image.replace("\\\n", " ").replaceAll("#.*\n", ""));
    assertThat(run.find()).isTrue();
    List<String> command = new ArrayList<>(List.of(here.get(0)));
    command.addAll(List.of(run.group(1).replace("/opt/firn/firn.jsa", archive + "").split(" +")));
    command.addAll(List.of("-cp", jars, "io.firn.cli.Main"));
    command.addAll(List.of(run.group(2).strip().split(" +")));
    ProcessBuilder process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("output").toFile());
    FirnServer.clearSettings(process.environment());
    assertThat(process.start().waitFor()).isZero();
    assertThat(archive).isNotEmptyFile();
  }
}
