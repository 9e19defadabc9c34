package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class MainTest {

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
