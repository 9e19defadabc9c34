package io.firn.examples.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class StampedOrdersTest {

  @TempDir Path directory;

  @Test
  void theSameRowsHaveTheSameIds() throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream captured = new ByteArrayOutputStream();
    System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
    try {
      StampedOrders.main(new String[] {directory.toString()});
    } finally {
      System.setOut(before);
    }
    List<String> lines = captured.toString(StandardCharsets.UTF_8).lines().toList();
    assertThat(lines.get(0)).matches("[0-9]{10,19},order 0-0");
    assertThat(lines)
        .contains(
            "1000 rows with IDs, at parallelism 2",
            "the same IDs at parallelism 3: true",
            "new IDs of fresh rows: true");
  }
}
