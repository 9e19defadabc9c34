package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.text.IdFormat;
import org.junit.jupiter.api.Test;

final class RedisDecodeTest extends OneRedisServer {

  private static final String ONE_IN_CLASSIC =
      """
      $2
      id
      $1
      1
      $6
      layout
      $7
      classic
      $4
      time
      $24
      2026-01-01T00:00:00.000Z
      $12
      timestamp_ms
      :1767225600000
      $10
      datacenter
      %s
      $6
      worker
      :0
      $8
      sequence
      :1
      $10
      namespaces
      *1
      $7
      default
      """;

  @Test
  void saysWhatAnIdMeans() {
    says(
        "DECODE 1541815603606036480 LAYOUT twitter",
        crlf(
            """
            *14
            $2
            id
            $19
            1541815603606036480
            $6
            layout
            $7
            twitter
            $4
            time
            $24
            2022-06-28T16:07:40.105Z
            $12
            timestamp_ms
            :1656432460105
            $10
            datacenter
            :11
            $6
            worker
            :26
            $8
            sequence
            :0
            """));
  }

  @Test
  void saysWhatAnIdMeansInTheLayoutOfItsNamespaces() {
    client.send("DECODE 1\r\n").expect("*16\r\n" + crlf(ONE_IN_CLASSIC.formatted("$-1")));
  }

  @Test
  void saysWhatAnIdMeansAsAMapInVersionThree() {
    client.send("HELLO 3\r\n");
    while (!client.line().equals("*0")) {
      assertThat(client.socket().isClosed()).isFalse();
    }
    client.send("DECODE 1\r\n").expect("%8\r\n" + crlf(ONE_IN_CLASSIC.formatted("_")));
  }

  /** Those that HTTP decodes: an ID is stored and copied in the form that someone likes. */
  @Test
  void readsEveryTextForm() {
    client.send("INCR default\r\n");
    long id = Long.parseLong(client.line().substring(1));
    for (IdFormat format : IdFormat.values()) {
      String text = (format == IdFormat.HEX ? "0x" : "") + format.format(id);
      String answer =
          server.connect().send("DECODE " + text + " LAYOUT classic\r\nQUIT\r\n").rest();
      assertThat(answer).as(format.label()).contains("\r\n" + id + "\r\n");
    }
  }

  @Test
  void saysWhatAnIdOfMoreBitsMeans() {
    says(
        "DECODE 01ARZ3NDEKTSV4RRFFQ69G5FAV",
        crlf(
            """
            *10
            $2
            id
            $26
            01ARZ3NDEKTSV4RRFFQ69G5FAV
            $4
            type
            $4
            ulid
            $4
            time
            $24
            2016-07-30T23:54:10.259Z
            $12
            timestamp_ms
            :1469922850259
            $6
            random
            $20
            d6764c61efb99302bd5b
            """));
  }

  @Test
  void refusesWhatIsNoIdAndNoLayout() {
    client.send("DECODE a.c\r\n");
    assertThat(client.line()).startsWith("-ERR id: a.c (expected: ");
    client.send("DECODE 1 LAYOUT twiter\r\n");
    assertThat(client.line()).startsWith("-ERR layout: twiter (expected: ");
    says("DECODE 1 IN twitter", "-ERR syntax error (expected: DECODE id [LAYOUT layout])\r\n");
  }
}
