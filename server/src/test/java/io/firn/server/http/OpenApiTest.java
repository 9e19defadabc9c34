package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.openapiparser.OpenApiParser;
import io.openapiparser.OpenApiResult;
import io.openapiprocessor.jsonschema.reader.UriReader;
import io.openapiprocessor.jsonschema.schema.DocumentLoader;
import io.openapiprocessor.jsonschema.schema.DocumentStore;
import io.openapiprocessor.jsonschema.schema.JsonInstance;
import io.openapiprocessor.jsonschema.schema.JsonSchema;
import io.openapiprocessor.jsonschema.schema.SchemaStore;
import io.openapiprocessor.jsonschema.validator.Validator;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/** {@code /openapi.json} is valid, and says what the server does. */
final class OpenApiTest {

  private static HttpServing serving;
  private static String document;

  @BeforeAll
  static void start() throws Exception {
    serving =
        HttpServing.start(
            "{legacy-routes: on, on-demand: on, namespaces: {default: {}, discord: {layout: discord},"
                + " numbers: {type: segment}}}");
    document = serving.get("/openapi.json").body();
  }

  @AfterAll
  static void stop() {
    serving.close();
  }

  private static Object parse(String json) {
    return new Yaml().load(json); // JSON is YAML
  }

  private static DocumentLoader loader() {
    return new DocumentLoader(new UriReader(), OpenApiTest::parse);
  }

  @Test
  void itIsValid() throws Exception {
    DocumentLoader loader = loader();
    OpenApiResult result =
        new OpenApiParser(new DocumentStore(), loader)
            .parse(URI.create("firn:/openapi.json"), parse(document));
    boolean valid = result.validate(new Validator(), new SchemaStore(loader));
    assertThat(result.getValidationErrors()).isEmpty();
    assertThat(valid).isTrue();
  }

  @Test
  void itHasEveryRouteAndNoOther() {
    assertThat(object(parse(document), "paths").keySet())
        .containsExactlyInAnyOrderElementsOf(
            HttpProtocol.router(serving.server().service()).paths());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/ids/{namespace}|/v1/ids/default?count=3|200",
        "/v1/ids/{namespace}|/v1/ids/default?count=0|400",
        "/v1/ids/{namespace}|/v1/ids/default?scope_ms=10|200",
        "/v1/ids/{namespace}|/v1/ids/default?scope_ms=60001|400",
        "/v1/decode/{id}|/v1/decode/175928847299117063|200",
        "/v1/decode/{id}|/v1/decode/175928847299117063?layout=discord|200",
        "/v1/decode/{id}|/v1/decode/1?layout=43t+20s@2020-01-01T00:00:00Z/1ms|200",
        "/v1/decode/{id}/readings|/v1/decode/175928847299117063/readings|200",
        "/v1/decode/{id}/readings|/v1/decode/175928847299117063/readings?layout=discord|200",
        "/v1/decode/{id}/readings|/v1/decode/0xZ/readings|400",
        "/v1/decode/{id}|/v1/decode/01890a5d-ac96-774b-bcce-b302099a8057|200",
        "/v1/decode/{id}/readings|/v1/decode/01890a5d-ac96-774b-bcce-b302099a8057/readings|200",
        "/v1/decode/{id}|/v1/decode/0xZ|400",
        "/v1/decode/{id}|/v1/decode/1?layout=discorde|400",
        "/v1/layouts|/v1/layouts|200",
        "/v1/namespaces|/v1/namespaces|200",
        "/v1/workers|/v1/workers|200",
        "/v1/segments|/v1/segments|200",
        "/v1/server|/v1/server|200",
        "/openapi.json|/openapi.json|200",
        "/api/snowflake/get/{key}|/api/snowflake/get/default|200",
        "/api/segment/get/{key}|/api/segment/get/default|404",
        "/api/segment/get/{key}|/api/segment/get/numbers|200",
        "/decodeSnowflakeId|/decodeSnowflakeId?snowflakeId=175928847299117063|200",
        "/tinyid/id/nextId|/tinyid/id/nextId?bizType=default|200",
        "/tinyid/id/nextSegmentId|/tinyid/id/nextSegmentId?bizType=numbers|200",
        "/tinyid/id/nextId|/tinyid/id/nextId|400",
      })
  void answersAreAsItSays(String path, String request, String status) throws Exception {
    isAsItSays(serving.get(request, "Accept", "application/json"), path, "get", status);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{\"count\":\"10\"}|200",
        "{\"count\":\"600000000\"}|200",
        "{\"count\":\"10\",\"job\":\"j\",\"shape\":\"a\",\"partition\":0,\"page\":0}|200",
        "{\"count\":\"10\",\"job\":\"j\",\"shape\":\"b\",\"partition\":0,\"page\":0}|409",
        "{}|400",
      })
  void blocksAreAsItSays(String body, String status) throws Exception {
    String path = "/v1/blocks/{namespace}";
    if (status.equals("409")) {
      serving.post("/v1/blocks/default", body.replace("\"b\"", "\"a\""));
    }
    isAsItSays(serving.post("/v1/blocks/default", body), path, "post", status);
  }

  private static void isAsItSays(
      HttpResponse<String> answer, String path, String method, String status) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(Integer.parseInt(status));
    Object response = object(parse(document), "paths", path, method, "responses").get(status);
    String type = answer.headers().firstValue("content-type").orElseThrow();
    Object schema = object(resolve(response), "content", type).get("schema");
    assertThat(isValid(object(schema), parse(answer.body())))
        .as("%s of %s", answer.body(), schema)
        .isTrue();
  }

  @Test
  void answersThatAreNotAsItSaysAreFound() {
    Map<String, Object> segments = object(resolve(Map.of("$ref", "#/components/schemas/Problem")));
    assertThat(isValid(segments, Map.of("type", "about:blank"))).isFalse();
  }

  private static Object resolve(Object value) {
    String reference = (String) object(value).get("$ref");
    if (reference == null) {
      return value;
    }
    Object found = parse(document);
    for (String step : reference.substring(2).split("/", -1)) {
      found = object(found).get(step);
    }
    return found;
  }

  private static boolean isValid(Map<String, Object> schema, Object value) {
    Map<String, Object> whole = new HashMap<>(schema);
    whole.put("$schema", "https://json-schema.org/draft/2020-12/schema");
    whole.put("components", Map.of("schemas", object(parse(document), "components", "schemas")));
    SchemaStore store = new SchemaStore(loader());
    store.registerDraft202012();
    URI uri = URI.create("firn:/schema");
    store.register(uri, whole);
    JsonSchema root = store.getSchema(uri);
    return new Validator().validate(root, new JsonInstance(value)).isValid();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> object(Object value, String... path) {
    Object found = value;
    for (String step : path) {
      found = ((Map<String, Object>) found).get(step);
    }
    return (Map<String, Object>) found;
  }
}
