package io.firn.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class SettingTest {

  @Test
  void settingIsItselfAndNoOther() {
    for (Setting<?> setting : Settings.all()) {
      assertThat(Settings.all().stream().filter(setting::is)).hasSize(1).first().isSameAs(setting);
    }
  }
}
