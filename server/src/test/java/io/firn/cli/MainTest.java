package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.TestJvm;
import java.io.File;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class MainTest {

  @Test
  void theLogIsTheUsersWhereOneIsChosen() {
    Properties properties = new Properties();
    CommandLog.choose(properties);
    assertThat(properties)
        .isEqualTo(Map.of("java.util.logging.config.class", CommandLog.class.getName()));

    Properties own = new Properties();
    own.setProperty("java.util.logging.config.file", "log.properties");
    CommandLog.choose(own);
    assertThat(own).isEqualTo(Map.of("java.util.logging.config.file", "log.properties"));
  }

  @Test
  void aVersionThatCannotBeWrittenIsNoSuccess() throws Exception {
    Process version =
        new ProcessBuilder(TestJvm.command(Main.class.getName(), List.of("--version")))
            .redirectOutput(new File("/dev/full"))
            .start();
    assertThat(new String(version.getErrorStream().readAllBytes(), UTF_8))
        .startsWith("firn: The command could not read or write: ");
    assertThat(version.waitFor()).isEqualTo(1);
  }

  @Test
  void leaksAreSearchedOnlyWhereThatIsSet() {
    Properties properties = new Properties();
    Main.searchNoLeaks(properties);
    assertThat(properties).isEqualTo(Map.of(Main.LEAK_DETECTION, "disabled"));

    properties.setProperty(Main.LEAK_DETECTION, "paranoid");
    Main.searchNoLeaks(properties);
    assertThat(properties).isEqualTo(Map.of(Main.LEAK_DETECTION, "paranoid"));
  }
}
