package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OpenFilesTest {

  @ParameterizedTest
  @CsvSource({"16384, 16000", "1024, 640", "768, 384", "180, 90", "unlimited, 2147483647"})
  void leaveRoomForWhatIsNoConnection(String files, int connections) {
    String limits =
        """
        Limit                     Soft Limit           Hard Limit           Units
        Max processes             128437               128437               processes
        Max open files            %-20s 1048576              files
        """;
    assertThat(OpenFiles.connections(limits.formatted(files))).isEqualTo(connections);
  }

  @Test
  void areReadFromTheSystem() {
    assertThat(OpenFiles.connections()).isGreaterThan(100);
  }
}
