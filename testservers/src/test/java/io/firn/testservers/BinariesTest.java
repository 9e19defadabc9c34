package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class BinariesTest {

  @Test
  void programIsUnpackedOnce() {
    assertThat(Binaries.redis()).isExecutable().isEqualTo(Binaries.redis());
  }

  @Test
  void missingProgramIsNamedWithThePlatformAndWhereItIsFound() {
    assertThatThrownBy(() -> Binaries.find("redis-server-0", "org.signal:embedded-redis"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageMatching(
            "The class path has no redis-server-0, on [a-z]+-[a-z0-9]+"
                + "; add it from org\\.signal:embedded-redis");
  }
}
