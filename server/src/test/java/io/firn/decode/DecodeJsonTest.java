package io.firn.decode;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DecodeJsonTest {

  private static final Decoder DECODER = new Decoder(Instant.parse("2026-11-21T12:00:00Z"));
  private static final String DISCORD = "175928847299117063";

  @Test
  void saysWhatANumberMeans() {
    assertThat(DecodeJson.of(List.of(DECODER.decode(DISCORD, IdLayout.DISCORD))))
        .isEqualTo(
            """
            {"id":"175928847299117063","kind":"number","layout":"discord",\
            "time":"2016-04-30T11:18:25.796Z","timestamp_ms":1462015105796,"datacenter":1,"worker":0,\
            "sequence":7,"also":[]}""");
  }

  @Test
  void saysWhatAWideIdMeans() {
    assertThat(DecodeJson.of(DECODER.decode("507f1f77bcf86cd799439011")))
        .isEqualTo(
            """
            {"id":"507f1f77bcf86cd799439011","kind":"wide","type":"objectid",\
            "time":"2012-10-17T21:13:27.000Z","timestamp_ms":1350508407000,\
            "parts":{"machine":"bcf86c","process":"55193","counter":"4427793"},"also":[]}""");
  }

  @Test
  void hasNoTimeWhereTheIdHasNone() {
    assertThat(DecodeJson.of(DECODER.decode("ffffffff-ffff-ffff-ffff-ffffffffffff").subList(0, 1)))
        .isEqualTo(
            """
            {"id":"ffffffff-ffff-ffff-ffff-ffffffffffff","kind":"wide","type":"uuid",\
            "time":null,"timestamp_ms":null,"parts":{},"also":[]}""");
  }

  @Test
  void explainsANumberBitByBit() {
    assertThat(DecodeJson.withGrounds(DECODER.decode("7", IdLayout.SONYFLAKE)))
        .isEqualTo(
            """
            {"id":"7","kind":"number","layout":"sonyflake","time":"2014-09-01T00:00:00.000Z",\
            "timestamp_ms":1409529600000,"datacenter":null,"worker":7,"sequence":0,\
            "title":"sonyflake 39t+8s+16w@2014-09-01T00:00:00Z/10ms","form":"decimal",\
            "plausible":true,"reasons":["low sequence","within a day of its epoch"],"binary":"\
            """
                + "0".repeat(61)
                + """
            111","fields":[{"field":"time","bits":39,"shift":24,"value":"2014-09-01T00:00:00.000Z"},\
            {"field":"sequence","bits":8,"shift":16,"value":"0"},\
            {"field":"worker","bits":16,"shift":0,"value":"7"}]}""");
  }

  @Test
  void explainsAllThatATextMayBe() {
    List<Reading> readings = DECODER.plausible("order_01h455vb4pex5vsknk084sn02q");
    assertThat(DecodeJson.all(readings))
        .startsWith(
            """
            {"readings":[{"id":"01890a5d-ac96-774b-bcce-b302099a8057","kind":"wide","type":"uuid7",""")
        .contains(
            """
            "title":"UUID of version 7: time and random bits","form":"base32 behind order_",\
            "plausible":true,"reasons":["version 7 in its place"],"binary":"0000000110001001""")
        .contains(
            """
            {"field":"rand_a","bits":12,"shift":64,"value":"74b"}""")
        .contains(
            """
            },{"id":"01H455VB4PEX5VSKNK084SN02Q","kind":"wide","type":"ulid",""")
        .endsWith("}]}]}");
  }
}
