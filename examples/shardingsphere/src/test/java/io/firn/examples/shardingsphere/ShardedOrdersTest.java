package io.firn.examples.shardingsphere;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ShardedOrdersTest {

  @Test
  void spreadsTenOrdersEvenly() throws SQLException {
    PrintStream before = System.out;
    ByteArrayOutputStream captured = new ByteArrayOutputStream();
    System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
    try {
      ShardedOrders.main(new String[0]);
    } finally {
      System.setOut(before);
    }
    List<String> lines = captured.toString(StandardCharsets.UTF_8).lines().toList();
    assertThat(lines).hasSize(10);
    assertThat(lines).filteredOn(line -> line.endsWith(": ds_0")).hasSize(5);
    assertThat(lines).filteredOn(line -> line.endsWith(": ds_1")).hasSize(5);
  }

  @Test
  void theDocumentationShowsTheseRules() throws IOException {
    String yaml = Files.readString(Path.of("src", "main", "resources", "sharding.yaml"));
    int begin = yaml.indexOf("# begin rules\n") + "# begin rules\n".length();
    String rules = yaml.substring(begin, yaml.indexOf("# end"));
    assertThat(Path.of("..", "..", "docs", "using", "shardingsphere.md"))
        .content()
        .contains("```yaml\n" + rules + "```");
  }
}
