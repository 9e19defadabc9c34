package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands whose store is a directory. */
final class StoreOptionsTest {

  private final Session session = new Session();

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "blocks --store %s",
        "blocks forget job --store %s --namespace orders",
        "decode --store %s --namespace orders 1",
        "doctor %s",
        "layout show orders --store %s",
        "regions %1$s %1$s-other",
        "segments --store %s",
        "store restored %s",
        "top -n 1 --store %s",
        "watermark orders --store %s",
        "workers --store %s",
        "workers release 1 --store %s --namespace orders --newest-id 1",
      })
  void doNotMakeADirectoryToLookAtIt(String command) {
    Path missing = directory.resolve("missing");
    String address = "file:" + missing;
    int code = session.run(command.formatted(address).split(" "));
    assertThat(session.err())
        .startsWith(
            "firn: store: " + address + " (expected: a directory that a generator has made)\n");
    assertThat(code).isEqualTo(2);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void makeTheDirectoryThatAGeneratorIsToUse() {
    Path first = directory.resolve("first");
    String reserve = "workers reserve 0 --namespace orders --layout leaf --for leaf --store file:";
    assertThat(session.run((reserve + first).split(" "))).isZero();
    assertThat(session.run("next", "--store", "file:" + directory.resolve("second"))).isZero();
    assertThat(first).isDirectory();
  }
}
