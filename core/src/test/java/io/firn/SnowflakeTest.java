package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import org.junit.jupiter.api.Test;

class SnowflakeTest {
  @Test
  void counts() {
    assertThat(new Snowflake().nextId()).isEqualTo(1);
    assertThat(new ManualTimeSource(7).currentTimeMillis()).isEqualTo(7);
  }
}
