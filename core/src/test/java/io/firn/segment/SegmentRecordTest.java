package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.Register;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each format that was ever written stays readable. */
class SegmentRecordTest {

  private static String golden(String name) throws IOException {
    try (InputStream in =
        SegmentRecordTest.class.getResourceAsStream("/io/firn/testkit/records/" + name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void readsAndWritesTheSegmentRecordOfEveryFormat() throws IOException {
    checkFormat("segment-1", "");
    checkFormat("segment-2", "run1/history1");
  }

  private static void checkFormat(String golden, String store) throws IOException {
    SegmentRecord record =
        new SegmentRecord(
            51_000,
            1_000,
            List.of(
                new SegmentRecord.Given(50_000, 1_000, "5ca1ab1e.2"),
                new SegmentRecord.Given(49_000, 412, "beef.1")),
            store);
    assertThat(SegmentRecord.parse(new Register("orders/segment", 1, golden(golden))))
        .isEqualTo(record);
    assertThat(record.text()).isEqualTo(golden(golden));
  }
}
