package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.lease.LayoutChange;
import io.firn.server.SwitchedStores;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.testkit.ManualTimeSource;
import io.firn.testservers.RedisServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the routes that describe a server, its namespaces, and the other servers. */
@Timeout(120)
final class HttpFleetTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final String TIME = "[0-9]{4}-[0-9-]{5}T[0-9:]{8}\\.[0-9]{3}Z";

  /** Its IDs begin with number 0 of a tick: from a random one, they may be of two ticks. */
  @Test
  void namespacesReportTheirLeasesAndCounts() throws Exception {
    try (HttpServing serving =
        HttpServing.start(
            "{store: 'switched:one', namespaces: {orders: {layout: twitter, sequence-start:"
                + " zero}}}")) {
      assertThat(serving.get("/v1/ids/orders?count=7").statusCode()).isEqualTo(200);
      assertThat(serving.get("/v1/namespaces").body())
          .matches(
              Pattern.quote(
                      "{\"namespaces\":[{\"name\":\"orders\",\"type\":\"snowflake\",\"layout\":"
                          + "{\"name\":\"twitter\","
                          + "\"spec\":\"41t+5d+5w+12s@2010-11-04T01:42:54.657Z/1ms\",\"fields\":["
                          + "{\"field\":\"time\",\"bits\":41,\"shift\":22},"
                          + "{\"field\":\"datacenter\",\"bits\":5,\"shift\":17},"
                          + "{\"field\":\"worker\",\"bits\":5,\"shift\":12},"
                          + "{\"field\":\"sequence\",\"bits\":12,\"shift\":0}],"
                          + "\"ends\":\"2080-07-10T17:30:30.209Z\",\"ends_ms\":3487858230209,"
                          + "\"tick_ms\":1,\"epoch\":\"2010-11-04T01:42:54.657Z\","
                          + "\"workers\":1024,\"ids_per_second\":4096000,\"ended\":false},"
                          + "\"next_layout\":null,\"lease\":{\"worker\":")
                  + "[0-9]+,\"not_before\":\"TIME\",\"fence\":\"TIME\",\"left_ms\":[0-9]{5},"
                      .replace("TIME", TIME)
                  + "\"since_renewal_ms\":[0-9]+,"
                  + Pattern.quote(
                      "\"store\":\"switched:\",\"last_error\":null,\"clock_doubt\":null},"
                          + "\"leases\":{\"acquired\":1,\"renewed\":0,\"lost\":0,\"expired\":0},"
                          + "\"stats\":{\"issued\":7,\"waits\":0,\"clock_steps\":0,\"lead_ms\":")
                  + "[0-9]+},\"outage\":null}]}");
    }
  }

  @Test
  void clockThatIsNotTrustedIsNoFailureOfARenewal() throws Exception {
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));
    try (HttpServing serving = HttpServing.start(time, "{namespaces: {orders: {}}}")) {
      assertThat(serving.get("/v1/ids/orders").statusCode()).isEqualTo(200);
      String namespaces;
      String overview;
      do { // again if the lease was renewed before both were read
        time.step(Duration.ofHours(1));
        HttpResponse<String> refused = serving.get("/v1/ids/orders");
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.body()).contains("The clock of this host reads 2026-11-21T13:00:");
        time.step(Duration.ofHours(-1));
        namespaces = serving.get("/v1/namespaces").body();
        overview = serving.get("/v1/console/overview").body();
      } while (!overview.contains("is not renewed") && !overview.contains("does not follow"));
      assertThat(namespaces)
          .contains("\"last_error\":null,\"clock_doubt\":\"The clock of this host reads ");
      assertThat(overview)
          .contains("orders: its lease does not follow the clock of this host. The clock of")
          .doesNotContain("is not renewed");
    }
  }

  @Test
  void decodesAnIdInTheLayoutOfTheNamespaceThatIssuedIt() throws Exception {
    try (HttpServing serving =
        HttpServing.start(
            "{store: 'switched:own', namespaces: {orders: {layout: sonyflake}, posts: {layout:"
                + " twitter}}}")) {
      String id = serving.get("/v1/ids/orders").body().strip();
      assertThat(serving.get("/v1/decode/" + id).body())
          .contains("\"layout\":\"sonyflake\"", "\"namespaces\":[\"orders\"]");
      assertThat(serving.get("/v1/decode/" + id + "/readings").body())
          .contains("\"the layout of orders\"", " was held in orders\"");
    }
  }

  @Test
  void goesOverToTheNextLayoutAndDecodesEachIdInItsOwn(@TempDir Path directory) throws Exception {
    String uri = "file:" + directory;
    try (HttpServing serving =
        HttpServing.start(
            "{store: '"
                + uri
                + "', namespaces: {orders: {layout: js_safe, next-layout: classic, window: 2s},"
                + " left: {layout: js_safe, window: 2s}}}")) {
      String old = serving.get("/v1/ids/orders").body().strip();
      assertThat(serving.get("/v1/ids/left").statusCode()).isEqualTo(200);
      assertThat(serving.get("/v1/namespaces").body())
          .contains("\"next_layout\":\"" + IdLayout.CLASSIC + "\"", "\"next_layout\":null");
      Instant at = Instant.now().plusSeconds(10).truncatedTo(ChronoUnit.SECONDS);
      try (RegisterStore store = RegisterStore.open(uri)) {
        LayoutChange.of(store, "orders").apply(IdLayout.CLASSIC, at, false);
        LayoutChange.of(store, "left").apply(IdLayout.CLASSIC, at, false);
      }
      assertThat(serving.get("/v1/workers").body())
          .contains(changes("left", at, "fixed"), changes("orders", at, "fixed"));
      assertThat(serving.get("/v1/console/namespaces/left").body()).contains("\"follows\":false");
      assertThat(serving.get("/v1/console/namespaces/orders").body()).contains("\"follows\":true");
      assertThat(serving.get("/v1/console/overview").body())
          .contains("left: its layout changes to classic at ")
          .doesNotContain("orders: its layout changes");
      awaitAnswer(serving, "/metrics", "firn_layout_change_seconds.*orders.*state=\"fixed\"");
      while (id(serving) < Long.parseLong(old) << 8) { // as the whole test does, within a minute
        Thread.sleep(50);
      }
      assertThat(serving.get("/v1/namespaces").body())
          .contains("\"name\":\"classic\"", "\"next_layout\":null");
      String fresh = Long.toString(id(serving));
      awaitAnswer(serving, "/v1/workers", Pattern.quote(changes("orders", at, "done")));
      assertThat(serving.get("/v1/decode/" + fresh).body())
          .contains("\"layout\":\"classic\"", "\"orders\"]");
      assertThat(serving.get("/v1/decode/" + old).body())
          .contains("\"layout\":\"js_safe\"", "\"orders\"]");
      HttpResponse<String> stopped = serving.get("/v1/ids/left");
      assertThat(stopped.statusCode()).isEqualTo(503);
      assertThat(stopped.body()).contains("start it with the namespace's layout");
    }
  }

  private static void awaitAnswer(HttpServing serving, String path, String pattern)
      throws Exception {
    while (!Pattern.compile(pattern).matcher(serving.get(path).body()).find()) {
      Thread.sleep(50);
    }
  }

  private static long id(HttpServing serving) throws Exception {
    HttpResponse<String> answer = serving.get("/v1/ids/orders");
    return answer.statusCode() == 200 ? Long.parseLong(answer.body().strip()) : -1;
  }

  private static String changes(String namespace, Instant at, String state) {
    return "{\"namespace\":\"%s\",\"from\":\"%s\",\"to\":\"%s\",\"at\":\"%s\",\"state\":\"%s\",\"grows\":true}"
        .formatted(
            namespace,
            IdLayout.JS_SAFE,
            IdLayout.CLASSIC,
            at.toString().replace("Z", ".000Z"),
            state);
  }

  @Test
  void workersShowAllServersOfTheStore() throws Exception {
    String yaml = "{store: 'switched:two', namespaces: {orders: {}}, instance: %s}";
    try (HttpServing one = HttpServing.start(yaml.formatted("one"));
        HttpServing two = HttpServing.start(yaml.formatted("two"))) {
      assertThat(one.get("/v1/workers").body()).contains("\"holder\":\"one\"");
      String workers = two.get("/v1/workers").body();
      assertThat(workers)
          .matches(
              "\\{\"taken\":\""
                  + TIME
                  + "\",\"workers\":\\[\\{.*},\\{.*}],\"marks\":\\[],\"changes\":\\[],"
                  + "\"next\":null}")
          .containsPattern(entry("one", false, "null", "null"))
          .containsPattern(entry("two", true, "0", "[0-9]+"));
    }
  }

  @Test
  void workersShowTheMarkAndWhoLeadsBecauseOfIt() throws Exception {
    try (RedisServer redis = RedisServer.start();
        HttpServing serving =
            HttpServing.start(
                "{store: 'redis://127.0.0.1:"
                    + redis.port()
                    + "?timeout=15s', namespaces: {orders: {settle-time: 1h}}}")) {
      Matcher answer =
          matched(
              serving.get("/v1/workers").body(),
              ",\"leads_until\":\"(TIME)\"}],\"marks\":\\[\\{\"namespace\":\"orders\",\"since\":\"(TIME)\",\"settled_at\":\"(TIME)\",\"after_loss\":\"ahead\"}]");
      Instant settled = Instant.parse(answer.group(3));
      assertThat(answer.group(1)).isEqualTo(answer.group(3));
      assertThat(Duration.between(Instant.parse(answer.group(2)), settled)).hasHours(1);
    }
  }

  @Test
  void workersOfANamespaceThatLostNothingDoNotLead() throws Exception {
    try (RedisServer redis = RedisServer.start();
        HttpServing serving =
            HttpServing.start(
                "{store: 'redis://127.0.0.1:"
                    + redis.port()
                    + "?timeout=15s&may-forget=false', namespaces: {orders: {}}}")) {
      String body = serving.get("/v1/workers").body();
      assertThat(body)
          .containsPattern(",\"leads_until\":null}],\"marks\":\\[\\{\"namespace\":\"orders\",");
    }
  }

  private static Matcher matched(String text, String pattern) {
    Matcher matcher = Pattern.compile(pattern.replace("TIME", TIME)).matcher(text);
    assertThat(matcher.find()).as(text).isTrue();
    return matcher;
  }

  private static String entry(String holder, boolean own, String lead, String sinceRenewal) {
    return "\\{\"namespace\":\"orders\",\"worker\":[0-9]+,\"state\":\"held\",\"holder\":\""
        + holder
        + "\",\"pid\":"
        + ProcessHandle.current().pid()
        + ",\"fence\":\""
        + TIME
        + "\",\"left_ms\":[0-9]+,\"own\":"
        + own
        + ",\"since\":\""
        + TIME
        + "\",\"lead_ms\":"
        + lead
        + ",\"since_renewal_ms\":"
        + sinceRenewal
        + ",\"leads_until\":null}";
  }

  @Test
  void aServerReportsItsResponseTimes() throws Exception {
    try (HttpServing serving = HttpServing.start("{}")) {
      for (int i = 0; i < 5; i++) {
        serving.get("/v1/ids/default");
      }
      serving.get("/no-such-path");
      String body = serving.get("/v1/server").body();
      assertThat(body)
          .matches(
              "\\{\"taken\":\"TIME\",\"outage\":null,\"protocols\":\\[\\{\"protocol\":\"http\","
                      .replace("TIME", TIME)
                  + "\"connections\":1,\"refusals\":1,\"total_us\":[1-9][0-9]*,"
                  + "\"times\":\\[\\{\"up_to_us\":10,\"requests\":[0-9]+},.*"
                  + "\\{\"up_to_us\":null,\"requests\":0}]}]}");
      assertThat(
              Pattern.compile("\"requests\":([0-9]+)")
                  .matcher(body)
                  .results()
                  .mapToInt(match -> Integer.parseInt(match.group(1)))
                  .sum())
          .isEqualTo(6);
    }
  }

  @Test
  void theStoreIsAskedForWorkersOnceASecondAtMost() throws Exception {
    try (HttpServing serving = HttpServing.start("store: switched:three")) {
      int before = SwitchedStores.named("three").scans();
      Instant begin = Instant.now();
      for (int i = 0; i < 20; i++) {
        assertThat(serving.get("/v1/workers").statusCode()).isEqualTo(200);
      }
      long seconds = Duration.between(begin, Instant.now()).toSeconds();
      assertThat(SwitchedStores.named("three").scans() - before).isBetween(1, (int) seconds + 1);
    }
  }

  @Test
  void theStoreIsScannedOnceForAllNamespaces() throws Exception {
    try (HttpServing serving =
        HttpServing.start("{store: 'switched:all', namespaces: {a: , b: , c: , d: }}")) {
      int before = SwitchedStores.named("all").scans();
      assertThat(serving.get("/v1/workers").body())
          .contains("\"namespace\":\"a\"", "\"namespace\":\"d\"");
      assertThat(SwitchedStores.named("all").scans() - before).isEqualTo(1);
    }
  }

  /** An operator released the worker ID, another process leased it, and no one renewed yet. */
  @Test
  void ownDataIsShownForOwnLeasesOnly() throws Exception {
    try (HttpServing serving =
        HttpServing.start(
            "{store: 'switched:released', namespaces: {a: {worker: 5, window: 10m}}}")) {
      assertThat(serving.get("/v1/workers").body()).contains("\"own\":true");
      RegisterStore store = SwitchedStores.named("released");
      Register own = store.read("a/worker/5").orElseThrow();
      String others = own.value().replaceFirst("holder=\\S+ pid=[0-9]+", "holder=another pid=1");
      store.compareAndSet("a/worker/5", own.version(), others);
      String body = "";
      while (!body.contains("\"holder\":\"another\"")) {
        body = serving.get("/v1/workers").body();
      }
      assertThat(body).contains("\"own\":false").doesNotContain("\"own\":true");
    }
  }

  @Test
  void workersComeInPages() throws Exception {
    try (HttpServing serving =
        HttpServing.start("{store: 'switched:pages', namespaces: {a: , b: , c: }}")) {
      String page = serving.get("/v1/workers?limit=2").body();
      assertThat(page)
          .contains("\"namespace\":\"a\"", "\"namespace\":\"b\"")
          .doesNotContain("\"namespace\":\"c\"")
          .containsPattern("\"next\":\"b/[0-9]+\"");
      String next = page.replaceFirst("(?s).*\"next\":\"([^\"]+)\".*", "$1");
      assertThat(serving.get("/v1/workers?limit=2&after=" + next).body())
          .contains("\"namespace\":\"c\"", "\"next\":null")
          .doesNotContain("\"namespace\":\"b\"");
      HttpResponse<String> refusal = serving.get("/v1/workers?after=b");
      assertThat(refusal.statusCode()).isEqualTo(400);
      assertThat(refusal.body()).contains("after: b (expected: NAMESPACE/WORKER, as next has it)");
    }
  }

  @Test
  void segmentsTellTheirStock() throws Exception {
    try (HttpServing serving =
        HttpServing.start(
            "{store: 'switched:four', namespaces: {ids: {}, numbers: {type: segment, step:"
                + " 10}}}")) {
      assertThat(serving.get("/v1/segments").body())
          .startsWith(
              "{\"segments\":[{\"namespace\":\"numbers\",\"source\":\"switched:\",\"newest\":null,"
                  .concat("\"issued\":0,\"left\":"));
      assertThat(serving.get("/v1/ids/numbers?count=3").body()).isEqualTo("1\n2\n3\n");
      assertThat(serving.get("/v1/segments").body())
          .matches(
              Pattern.quote(
                      "{\"segments\":[{\"namespace\":\"numbers\",\"source\":\"switched:\","
                          + "\"newest\":\"3\",\"issued\":3,\"left\":")
                  + "[1-9][0-9]*,\"step\":[0-9]+,\"segments_ahead\":[0-9]+,\"waits\":0,"
                  + "\"fetches\":[1-9][0-9]*,\"fetch_failures\":0,\"since_fetch_ms\":[0-9]+,"
                  + "\"last_error\":null}]}");
    }
  }

  @Test
  void aServerWithoutALeaseIsAliveAndNotReady() throws Exception {
    SwitchedStores.named("five").down(true);
    try (HttpServing serving = HttpServing.startClosed("store: switched:five")) {
      assertThat(serving.get("/livez").body()).isEqualTo("alive\n");
      assertThat(serving.get("/readyz").statusCode()).isEqualTo(503);
      var unused = serving.server().openNamespaces();
      HttpResponse<String> answer = await(serving, "/readyz", "switched");
      assertThat(answer.body())
          .isEqualTo(
              "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\",\"status\":503,"
                  .concat(
                      "\"code\":\"unavailable\",\"detail\":\"Store switched: did not answer\"}"));
      HttpResponse<String> refusal = serving.get("/v1/workers");
      assertThat(refusal.statusCode()).isEqualTo(503);
      assertThat(refusal.headers().firstValue("Retry-After")).contains("1");
      SwitchedStores.named("five").down(false);
      assertThat(await(serving, "/readyz", "ready").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void aServerBeyondItsFenceIsNotReadyUntilItIsRenewed() throws Exception {
    try (HttpServing serving =
        HttpServing.start("{store: 'switched:six', defaults: {window: 2s}}")) {
      assertThat(serving.get("/readyz").body()).isEqualTo("ready\n");
      SwitchedStores.named("six").down(true);
      HttpResponse<String> answer = await(serving, "/readyz", " of default ended at ");
      assertThat(answer.statusCode()).isEqualTo(503);
      assertThat(serving.get("/v1/ids/default").statusCode()).isEqualTo(503);
      assertThat(serving.get("/v1/namespaces").body())
          .contains("\"outage\":\"The lease of worker ");
      SwitchedStores.named("six").down(false);
      await(serving, "/readyz", "ready\n");
      assertThat(serving.get("/v1/ids/default").statusCode()).isEqualTo(200);
    }
  }

  private static HttpResponse<String> await(HttpServing serving, String path, String part)
      throws Exception {
    Instant end = Instant.now().plus(TIMEOUT);
    HttpResponse<String> answer = serving.get(path);
    while (!answer.body().contains(part) && Instant.now().isBefore(end)) {
      answer = serving.get(path);
    }
    assertThat(answer.body()).contains(part);
    return answer;
  }
}
