package io.firn.examples.spark;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrderLoadTest {

  @TempDir Path directory;

  @Test
  void twoLoadsHaveFreshIdsAndOneJobHasTheSame() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
    try {
      OrderLoad.main(new String[] {directory.toString()});
    } finally {
      System.setOut(before);
    }
    assertThat(out.toString(StandardCharsets.UTF_8))
        .isEqualTo("fresh: 200000 rows, 200000 IDs\nstable: 200000 rows, 100000 IDs\n");
  }
}
