package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The routes of Leaf and tinyid. */
final class LegacyRoutesTest {

  private static HttpServing serving;

  @BeforeAll
  static void start() throws Exception {
    serving =
        HttpServing.start(
            """
            legacy-routes: on
            on-demand: on
            limits: {count: 10}
            defaults: {layout: leaf}
            namespaces: {default: {}, orders: {}, numbers: {type: segment}, counted: {type: segment, step: 100}}
            """);
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  @Test
  void leafsSnowflakeIsABareNumber() throws Exception {
    HttpResponse<String> answer = serving.get("/api/snowflake/get/orders");
    assertThat(answer.headers().firstValue("content-type")).contains("text/plain");
    assertThat(answer.body()).matches("[0-9]{15,19}");
    assertThat(Long.parseLong(serving.get("/api/snowflake/get/orders").body()))
        .isGreaterThan(Long.parseLong(answer.body()));
  }

  @Test
  void leafsNumberIsJsonForThoseWhoWantJson() throws Exception {
    HttpResponse<String> answer =
        serving.get("/api/snowflake/get/orders", "Accept", "application/json, application/*+json");
    assertThat(answer.headers().firstValue("content-type")).contains("application/json");
    assertThat(answer.body()).matches("[0-9]{15,19}");
  }

  @Test
  void leafsSegmentsCountFromOne() throws Exception {
    assertThat(serving.get("/api/segment/get/numbers").body()).isEqualTo("1");
    assertThat(serving.get("/api/segment/get/numbers").body()).isEqualTo("2");
    assertThat(serving.get("/tinyid/id/nextIdSimple?bizType=numbers&batchSize=2").body())
        .isEqualTo("3,4");
    assertThat(serving.get("/api/segment/get/bills").body())
        .contains("\"detail\":\"key: bills (expected: a namespace of type segment)\"");
  }

  @Test
  void leafsSegmentIsNoSnowflake() throws Exception {
    HttpResponse<String> answer = serving.get("/api/segment/get/orders");
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body())
        .contains("\"detail\":\"key: orders (expected: a namespace of type segment)\"");
  }

  /** Leaf has one generator, so that two keys never share an ID. */
  @Test
  void leafsSnowflakesComeFromOneNamespaceWhateverTheKey() throws Exception {
    long last = 0;
    for (String key : List.of("orders", "numbers", "anything", "orders")) {
      long id = Long.parseLong(serving.get("/api/snowflake/get/" + key).body());
      assertThat(id).isGreaterThan(last);
      last = id;
    }
    assertThat(serving.get("/v1/decode/" + last).body()).contains("\"namespaces\":[\"default\"");
  }

  @Test
  void leafsSnowflakesComeFromTheNamespaceOfTheKeyWhereThatIsWanted() throws Exception {
    try (HttpServing each =
        HttpServing.start(
            "{legacy-routes: on, on-demand: off, leaf: {namespace: off}, namespaces: {orders: {layout: twitter}}}")) {
      String id = each.get("/api/snowflake/get/orders").body();
      assertThat(each.get("/v1/decode/" + id).body()).contains("\"layout\":\"twitter\"");
      assertThat(each.get("/api/snowflake/get/bills").statusCode()).isEqualTo(404);
    }
  }

  @Test
  void tinyidsClientsAreGivenSegments() throws Exception {
    assertThat(serving.get("/tinyid/id/nextSegmentIdSimple?bizType=counted").body())
        .isEqualTo("100,120,200,1,0"); // the first 100 are those that the server issues itself
    assertThat(serving.get("/tinyid/id/nextSegmentId?bizType=counted").body())
        .isEqualTo(
            "{\"data\":{\"currentId\":200,\"loadingId\":220,\"maxId\":300,\"delta\":1,"
                + "\"remainder\":0},\"code\":200,\"message\":\"\"}");
    assertThat(serving.get("/tinyid/id/nextSegmentId?bizType=orders").body())
        .contains("\"detail\":\"namespace: orders (expected: one of type segment)\"");
  }

  @Test
  void tinyidsUnknownTypesAreRefused() throws Exception {
    HttpResponse<String> answer = serving.get("/tinyid/id/nextId?bizType=bills");
    assertThat(answer.statusCode()).isEqualTo(404);
    assertThat(answer.body())
        .contains("\"detail\":\"bizType: bills (expected: a namespace of the configuration)\"");
  }

  @Test
  void leafsDecodingIsInUtc() throws Exception {
    long id = (1_567_733_700_834L - 1_288_834_974_657L) << 22 | 39 << 12 | 3448;
    assertThat(serving.get("/decodeSnowflakeId?snowflakeId=" + id).body())
        .isEqualTo(
            "{\"timestamp\":\"1567733700834(2019-09-06 01:35:00.834)\","
                .concat("\"sequenceId\":\"3448\",\"workerId\":\"39\"}"));
    assertThat(serving.get("/decodeSnowflakeId?snowflakeId=x").body())
        .contains(
            "snowflakeId: x (expected: an ID of layout 41t+10w+12s@2010-11-04T01:42:54.657Z/1ms)");
    assertThat(serving.get("/decodeSnowflakeId").statusCode()).isEqualTo(400);
    assertThat(serving.get("/decodeSnowflakeId?snowflakeId=18446744073709551615").statusCode())
        .isEqualTo(400);
  }

  @Test
  void tinyidsIdsAreNumbers() throws Exception {
    assertThat(serving.get("/tinyid/id/nextId?bizType=orders").body())
        .matches("\\{\"data\":\\[[0-9]+],\"code\":200,\"message\":\"\"}");
    assertThat(serving.get("/tinyid/id/nextId?bizType=orders&batchSize=3").body())
        .matches("\\{\"data\":\\[[0-9]+,[0-9]+,[0-9]+],\"code\":200,\"message\":\"\"}");
    assertThat(serving.get("/tinyid/id/nextIdSimple?bizType=orders").body()).matches("[0-9]+");
    assertThat(serving.get("/tinyid/id/nextIdSimple?bizType=orders&batchSize=3").body())
        .matches("[0-9]+,[0-9]+,[0-9]+");
  }

  @Test
  void tinyidsRoutesMayBePostedTo() throws Exception {
    HttpRequest post =
        HttpRequest.newBuilder(serving.uri("/tinyid/id/nextIdSimple?bizType=orders"))
            .POST(BodyPublishers.noBody())
            .build();
    assertThat(HttpClient.newHttpClient().send(post, BodyHandlers.ofString()).body())
        .matches("[0-9]+");
  }

  @Test
  void tinyidsMistakesAreNamed() throws Exception {
    assertThat(serving.get("/tinyid/id/nextId").body())
        .contains("\"detail\":\"bizType: none (expected: a namespace)\"");
    assertThat(serving.get("/tinyid/id/nextId?bizType=orders&batchSize=11").body())
        .contains("\"detail\":\"batchSize: 11 (expected: 1..10)\"");
  }

  @Test
  void theRoutesAreOffUnlessAskedFor() throws Exception {
    try (HttpServing plain = HttpServing.start("")) {
      assertThat(plain.get("/api/snowflake/get/orders").statusCode()).isEqualTo(404);
      assertThat(plain.get("/api/segment/get/orders").statusCode()).isEqualTo(404);
      assertThat(plain.get("/decodeSnowflakeId?snowflakeId=1").statusCode()).isEqualTo(404);
      assertThat(plain.get("/tinyid/id/nextId?bizType=orders").statusCode()).isEqualTo(404);
      assertThat(plain.get("/tinyid/id/nextIdSimple?bizType=orders").statusCode()).isEqualTo(404);
    }
  }
}
