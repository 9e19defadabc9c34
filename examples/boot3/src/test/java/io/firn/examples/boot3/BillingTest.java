package io.firn.examples.boot3;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

final class BillingTest {

  private final HttpClient http = HttpClient.newHttpClient();

  /** Reads the class path of this module, whose pom names the starter and firn-jdbc. */
  @Test
  void theStarterBringsNothingBySurprise() {
    assertThat(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .anyMatch(entry -> entry.contains("/integrations/spring-boot/"))
        .anyMatch(entry -> entry.contains("/core/"))
        .noneMatch(
            entry ->
                entry.matches(
                    ".*/(backends/redis|integrations/(hibernate|mybatis)|lettuce-core|mybatis"
                        + "|hibernate|micrometer-core|spring-boot-(actuator|health|hibernate)"
                        + "|spring-data-).*"));
  }

  @Test
  void numbersInvoicesWithoutActuatorAndMicrometer() throws Exception {
    assertThat(SpringBootVersion.getVersion()).startsWith("3.5.");
    try (ConfigurableApplicationContext billing = start()) {
      assertThat(write(billing, "Ada"))
          .matches("\\{\"id\":\"\\d{9,16}\",\"number\":1001,\"customer\":\"Ada\"}");
      assertThat(write(billing, "Grace")).contains("\"number\":1002,");
      assertThat(send(billing, HttpRequest.newBuilder(uri(billing, "/invoices"))))
          .matches("\\[\\{\"id\":\"\\d+\",\"number\":1001,.*\"number\":1002,.*]");
    }
  }

  @Test
  void continuesWithTheNumbersOfTheLastRun() throws Exception {
    String url = "--spring.datasource.url=jdbc:h2:mem:again;DB_CLOSE_DELAY=-1";
    try (ConfigurableApplicationContext billing = start(url)) {
      assertThat(write(billing, "Ada")).contains("\"number\":1001,");
    }
    try (ConfigurableApplicationContext billing = start(url)) {
      assertThat(write(billing, "Ada")).contains("\"number\":1002,");
    }
  }

  private static ConfigurableApplicationContext start(String... arguments) {
    return new SpringApplicationBuilder(Billing.class)
        .properties(
            "server.port=0",
            "server.address=127.0.0.1",
            "logging.level.root=warn",
            "firn.namespaces.invoices.max-wait=20s")
        .run(arguments);
  }

  private static URI uri(ConfigurableApplicationContext billing, String path) {
    return URI.create(
        "http://127.0.0.1:" + billing.getEnvironment().getProperty("local.server.port") + path);
  }

  private String write(ConfigurableApplicationContext billing, String customer) throws Exception {
    return send(
        billing,
        HttpRequest.newBuilder(uri(billing, "/invoices?customer=" + customer))
            .POST(HttpRequest.BodyPublishers.noBody()));
  }

  private String send(ConfigurableApplicationContext billing, HttpRequest.Builder request)
      throws Exception {
    HttpResponse<String> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    assertThat(billing.isRunning()).isTrue();
    return response.body();
  }
}
