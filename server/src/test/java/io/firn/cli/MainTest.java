package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

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
  void leaksAreSearchedOnlyWhereThatIsSet() {
    Properties properties = new Properties();
    Main.searchNoLeaks(properties);
    assertThat(properties).isEqualTo(Map.of(Main.LEAK_DETECTION, "disabled"));

    properties.setProperty(Main.LEAK_DETECTION, "paranoid");
    Main.searchNoLeaks(properties);
    assertThat(properties).isEqualTo(Map.of(Main.LEAK_DETECTION, "paranoid"));
  }
}
