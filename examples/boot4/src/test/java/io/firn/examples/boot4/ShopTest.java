package io.firn.examples.boot4;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.PostgresServer;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

final class ShopTest {

  private static final String ORDER =
      "{\"customer\":\"Ada\",\"items\":[{\"product\":\"pen\",\"quantity\":2},"
          + "{\"product\":\"ink\",\"quantity\":1}]}";

  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void takesOrdersOverH2() throws Exception {
    try (ConfigurableApplicationContext shop = start()) {
      String placed = send(HttpRequest.newBuilder(uri(shop, "/orders")).POST(body()), 201);
      assertThat(placed)
          .containsPattern("^\\{\"id\":\"\\d{16,19}\",\"customer\":\"Ada\"")
          .containsPattern("\"id\":\"\\d{16,19}\",\"product\":\"pen\",\"quantity\":2");
      assertThat(get(shop, "/orders")).contains(idOf(placed), "\"product\":\"ink\"");
      assertThat(get(shop, "/ids/" + idOf(placed)))
          .contains("\"id\":\"" + idOf(placed) + "\"")
          .containsPattern("\"kind\":\"time\",\"bits\":\"[01]{41}\"")
          .containsPattern("\"kind\":\"worker\",\"bits\":\"[01]{10}\"")
          .containsPattern("\"kind\":\"sequence\",\"bits\":\"[01]{12}\"");
      assertThat(get(shop, "/")).contains("<title>Shop</title>");
    }
  }

  @Test
  void healthAndMetersAreExposed() throws Exception {
    try (ConfigurableApplicationContext shop = start()) {
      String id = idOf(send(HttpRequest.newBuilder(uri(shop, "/orders")).POST(body()), 201));
      assertThat(get(shop, "/actuator/health"))
          .startsWith("{")
          .containsPattern("\"firn\":\\{\"details\":\\{.*\"orders\":\\{.*\"status\":\"UP\"");
      assertThat(get(shop, "/actuator/health/readiness")).contains("\"UP\"");
      assertThat(get(shop, "/actuator/firn"))
          .contains("\"orders\":{\"layout\":\"41t+10w+12s@2026-01-01T00:00:00Z/1ms\"")
          .contains("\"store\":\"jdbc:h2:mem:");
      assertThat(get(shop, "/actuator/firn/" + id))
          .contains("\"orders\":{\"id\":\"" + id + "\",\"instant\":\"20");
      send(HttpRequest.newBuilder(uri(shop, "/actuator/firn/-1")), 404);
      assertThat(get(shop, "/actuator/metrics/firn.issued?tag=namespace:orders"))
          .contains("\"value\":1.0")
          .contains("\"baseUnit\":\"ids\"");
      assertThat(get(shop, "/actuator/metrics/firn.lease.renewals")).contains("acquired");
    }
  }

  @Test
  void threeInstancesOnOneDatabaseNeverIssueTheSame() throws Exception {
    try (PostgresServer postgres = PostgresServer.start()) {
      String url = "--spring.datasource.url=" + postgres.jdbcUrl();
      List<ConfigurableApplicationContext> shops = new ArrayList<>();
      ExecutorService callers = Executors.newFixedThreadPool(6);
      try {
        for (int i = 0; i < 3; i++) {
          shops.add(start(url));
        }
        List<Future<String>> answers = new ArrayList<>();
        for (int round = 0; round < 20; round++) {
          for (ConfigurableApplicationContext shop : shops) {
            answers.add(callers.submit(() -> get(shop, "/ids?count=500")));
            answers.add(
                callers.submit(
                    () -> {
                      var request = HttpRequest.newBuilder(uri(shop, "/orders")).POST(body());
                      return "[\"" + idOf(send(request, 201)) + "\"]";
                    }));
          }
        }
        Set<String> ids = new HashSet<>();
        int count = 0;
        for (Future<String> answer : answers) {
          List<String> some = List.of(answer.get().replaceAll("[\\[\\]\"]", "").split(",", -1));
          ids.addAll(some);
          count += some.size();
        }
        assertThat(count).isEqualTo(20 * 3 * 501);
        assertThat(ids).hasSize(count);
        Set<String> workers = new HashSet<>();
        for (ConfigurableApplicationContext shop : shops) {
          String id = get(shop, "/ids?count=1").replaceAll("[\\[\\]\"]", "");
          workers.add(get(shop, "/ids/" + id).replaceAll(".*\"worker\":(\\d+),.*", "$1"));
        }
        assertThat(workers).hasSize(3);
      } finally {
        shops.forEach(ConfigurableApplicationContext::close);
        callers.shutdownNow();
      }
    }
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(
        List.of("--server.port=0", "--server.address=127.0.0.1", "--logging.level.root=warn"));
    return new SpringApplicationBuilder(Shop.class).run(all.toArray(String[]::new));
  }

  private static HttpRequest.BodyPublisher body() {
    return HttpRequest.BodyPublishers.ofString(ORDER);
  }

  private static URI uri(ConfigurableApplicationContext shop, String path) {
    return URI.create(
        "http://127.0.0.1:" + shop.getEnvironment().getProperty("local.server.port") + path);
  }

  private String get(ConfigurableApplicationContext shop, String path) throws Exception {
    return send(HttpRequest.newBuilder(uri(shop, path)), 200);
  }

  private String send(HttpRequest.Builder request, int expected) throws Exception {
    HttpResponse<String> response =
        http.send(
            request.header("Content-Type", "application/json").build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(expected);
    return response.body();
  }

  private static String idOf(String order) {
    return order.replaceAll("^\\{\"id\":\"(\\d+)\".*$", "$1");
  }
}
