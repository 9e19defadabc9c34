package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LayoutChange;
import io.firn.lease.LeaseConfig;
import io.firn.server.SwitchedStores;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.testkit.ManualTimeSource;
import io.firn.testservers.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The console, as a browser shows it. */
@Timeout(120)
@EnabledIf(value = "isInstalled", disabledReason = "no chromium on the PATH")
final class ConsoleTest {

  /** The one that Discord's documentation explains. */
  private static final String MESSAGE = "175928847299117063";

  private static final String UUID_7 = "01890a5d-ac96-774b-bcce-b302099a8057";

  private static Browser browser;

  static boolean isInstalled() {
    boolean installed = Browser.isInstalled();
    if (!installed) {
      System.out.println(
          "firn-server: the console is not tested, there is no chromium on the PATH (apt-get install"
              + " chromium chromium-driver)");
    }
    return installed;
  }

  @BeforeAll
  static void start() {
    browser = Browser.start();
  }

  @AfterAll
  static void stop() {
    browser.close();
  }

  private static void open(HttpServing serving) {
    browser.open(serving.uri("/"));
    browser.await("#state", "Ready|Not ready");
  }

  @Test
  void anIdThatIsTypedInShowsItsBitsAndFields() {
    try (HttpServing serving = HttpServing.start("{}")) {
      open(serving);
      browser.type("#id", MESSAGE);
      browser.await("#reading .title strong", "discord");
      assertThat(browser.text(".bits .bit").replace("\n", ""))
          .isEqualTo(padded(Long.toBinaryString(Long.parseLong(MESSAGE))));
      assertThat(browser.count(".bit[data-hue=time]")).isEqualTo(42);
      assertThat(browser.count(".bit[data-hue=datacenter]")).isEqualTo(5);
      assertThat(browser.count(".bit[data-hue=worker]")).isEqualTo(5);
      assertThat(browser.count(".bit[data-hue=sequence]")).isEqualTo(12);
      browser.await("#age", "[0-9]+ years .*ago");
      assertThat(browser.text(".field"))
          .startsWith("Time 42 bits\n2016-04-30 11:18:25.796 UTC\n")
          .contains("Datacenter 5 bits\n1\n")
          .contains("Worker 5 bits\n0\n")
          .contains("Sequence 12 bits\n7");
    }
  }

  private String padded(String binary) {
    return "0".repeat(64 - binary.length()) + binary;
  }

  @Test
  void wideIdsAndOtherReadingsShowToo() {
    try (HttpServing serving = HttpServing.start("{}")) {
      open(serving);
      browser.type("#id", UUID_7);
      browser.await("#reading .title strong", "UUID of version 7.*");
      assertThat(browser.count(".bit")).isEqualTo(128);
      assertThat(browser.text(".field")).contains("2023-06-30 03:34:18.518", "74b");
      browser.type("#id", MESSAGE);
      browser.await("#reading summary", "[0-9]+ other readings?\n.*");
      browser.run("document.querySelectorAll('#reading details').forEach(d => d.open = true)");
      assertThat(browser.text("#reading tbody")).contains("leaf", "twitter");
      browser.run(
          "[...document.querySelectorAll('#reading .link')]"
              + ".find(b => b.textContent === 'twitter').click()");
      browser.await("#reading .title strong", "twitter");
      browser.type("#id", "no such thing");
      browser.await("#decode-problem", "id: no such thing \\(expected: .*");
      assertThat(browser.text("#reading")).isEmpty();
    }
  }

  @Test
  void anIdCanBeDrawnAndItsAddressShared() {
    try (HttpServing serving = HttpServing.start("{}")) {
      open(serving);
      browser.click("#draw");
      browser.await("#reading .title strong", "classic");
      String id = (String) browser.run("return document.getElementById('id').value");
      browser.open(serving.uri("/#id=" + id));
      browser.await("#reading .title strong", "classic");
    }
  }

  @Test
  void onlySnowflakesAreDrawnFromTheNamespaceThatIsPicked() throws Exception {
    try (HttpServing serving =
        HttpServing.start(
            "{namespaces: {bills: {type: segment}, orders: {}, posts: {layout: discord}}}")) {
      open(serving);
      browser.await("#draw-from", "orders\\s*posts");
      browser.click("#draw");
      browser.await("#reading .title strong", "classic");
      browser.run(
          "const from = document.getElementById('draw-from'); from.value = 'posts';"
              + "document.getElementById('draw').click()");
      browser.await("#reading .title strong", "discord");
      assertThat(serving.get("/v1/ids/bills").body().strip()).isEqualTo("1");
    }
  }

  @Test
  void theChartsMoveUnderLoad() throws Exception {
    try (HttpServing serving = HttpServing.start("{}")) {
      open(serving);
      browser.await("#rate-legend", "default\\s+0");
      Object still = picture("#rate");
      Instant end = Instant.now().plus(Duration.ofSeconds(30));
      while (!browser.text("#rate-now").matches("[0-9.]+[KM]") && Instant.now().isBefore(end)) {
        assertThat(serving.get("/v1/ids/default?count=1000").statusCode()).isEqualTo(200);
      }
      assertThat(browser.text("#rate-now")).matches("[0-9.]+[KM]");
      assertThat(browser.text("#rate-legend")).matches("default\\s+[0-9.]+[KM]");
      assertThat(browser.text("#latency-now")).matches("[0-9.]+ (µs|ms|s)");
      assertThat(picture("#rate")).isNotEqualTo(still);
      browser.await("#rate-now", "0");
      browser.await("#namespaces tbody", "default.*[0-9],000.*");
    }
  }

  @Test
  void aNamespaceThatComesBackIntoTheChartHasNoRateOfTheTimeBetween() {
    try (HttpServing serving = HttpServing.start("{}")) {
      open(serving);
      Object rate =
          browser.run(
              """
              return import('/console/charts.js?again').then((charts) => {
                const look = (name, issued) =>
                  charts.look({times: [], top: [{name, issued}], issued, namespaces: 1});
                charts.start();
                look('a', 1_000);
                look('b', 1_000);
                look('a', 601_000);
                return document.getElementById('rate-now').textContent;
              });
              """);
      assertThat(rate).isEqualTo("0");
    }
  }

  private static Object picture(String chart) {
    return browser.run(
        "return document.querySelector(arguments[0] + ' canvas').toDataURL()", chart);
  }

  @Test
  void aLeaseThatIsTakenAwayShowsInTheStrip() {
    String yaml = "{store: 'switched:taken', defaults: {window: 2s}}";
    try (HttpServing serving = HttpServing.start(yaml)) {
      open(serving);
      browser.await("#workers tbody", "default [0-9]+.*held.*this server.*");
      assertThat(browser.text("#strip")).isEmpty();
      takeAway("taken");
      browser.await("#strip", "default: lost its lease once, has worker [0-9]+ now\\..*");
      browser.screen(390, 800, "light");
      assertThat(browser.text("#strip button")).isEqualTo("Dismiss");
      assertThat((Long) browser.run("return document.querySelector('#strip button').offsetHeight"))
          .isLessThan(40);
      browser.click("#strip button");
      browser.await("#strip", "");
      browser.reload();
      browser.await("#state", "Ready");
      assertThat(browser.text("#strip")).isEmpty();
    }
  }

  /** Writes another's name and token over the worker's record, as no server of ours would. */
  private static void takeAway(String name) {
    RegisterStore store = RegisterStore.open("switched:" + name);
    boolean taken = false;
    while (!taken) { // between two renewals
      Register worker =
          store.scan("").stream()
              .filter(register -> register.value().contains("state=held"))
              .findFirst()
              .orElseThrow();
      String other = worker.value().replaceAll("token=[^ ]+", "token=5ca1ab1e.1");
      taken =
          store.compareAndSet(worker.name(), worker.version(), other).outcome()
              == WriteResult.Outcome.APPLIED;
    }
  }

  @Test
  void aStoreThatIsAwayShowsInTheStripUntilItIsBack() {
    String yaml = "{store: 'switched:away', defaults: {window: 1s}}";
    try (HttpServing serving = HttpServing.start(yaml)) {
      open(serving);
      SwitchedStores.named("away").down(true);
      browser.await("#strip", ".*Not ready\\. The lease of worker [0-9]+ of default ended at .*");
      browser.await("#state", "Not ready");
      assertThat(browser.text("#namespaces tbody")).contains("Stopped");
      SwitchedStores.named("away").down(false);
      browser.await("#state", "Ready");
      browser.await("#strip", "");
    }
  }

  @Test
  void oneCauseIsOneLineHoweverManyNamespacesItStops() {
    String yaml =
        "{store: 'switched:cause', defaults: {window: 3s}," // longer than the page is behind
            + " namespaces: {a: {}, b: {}, c: {}, d: {}, e: {}}}";
    try (HttpServing serving = HttpServing.start(yaml)) {
      open(serving);
      browser.await("#workers tbody", "a [0-9]+.*held.*");
      SwitchedStores.named("cause").down(true);
      browser.await(
          "#strip",
          "Not ready\\. 5 of 5 namespaces issue no IDs: a, b, c and 2 more\\." + " Last error: .+");
      assertThat(browser.count(".warning")).isEqualTo(1);
      browser.click("#strip summary");
      browser.await("#strip li", "(The lease of worker [0-9]+ of [a-e] ended at [^\n]*\n?){5}");
      browser.await("#workers-old", "As of [0-9:]{8}, .* ago: the store does not answer\\.");
      browser.await("#workers tbody", "(?!.*held).*expired.*");
      SwitchedStores.named("cause").down(false);
      browser.await("#strip", "");
      browser.await("#workers-old", "");
      browser.await("#workers tbody", ".*held.*");
    }
  }

  @Test
  void aNamespaceHasAPageWithItsWindowsAndEvents() throws Exception {
    String yaml = "{store: 'switched:page', defaults: {window: 2s}, namespaces: {'user:id': {}}}";
    try (HttpServing serving = HttpServing.start(yaml)) {
      open(serving);
      browser.await("#namespaces tbody a", "user:id");
      browser.click("#namespaces tbody a");
      browser.await("#namespace-title", "user:id");
      browser.await("#namespace-body", "Active · classic · worker [0-9]+ · .*");
      browser.await(".axis-label", "[0-9]+ this server");
      browser.await("#namespace-body tbody", "extended its window.*leased a worker ID.*");
      assertThat(browser.text("#workers")).isEmpty();
      serving.post("/v1/blocks/user:id", "{\"count\": \"200000000\"}");
      browser.await(".axis", ".*[0-9]+ block of .*");
      takeAway("page");
      browser.await("#namespace-body tbody", ".*leased a worker ID.*lost its lease.*");
      browser.run("location.hash = ''");
      browser.await("#workers tbody", "user:id.*\\bblock\\b.*");
      assertThat(browser.text("#namespace")).isEmpty();
      browser.open(serving.uri("/#namespace=nothing"));
      browser.await(
          "#namespace-body", "namespace: nothing \\(expected: one that is open in this server; .*");
    }
  }

  @Test
  void aNamespaceShowsTheChangeOfItsLayoutAndWhetherThisServerSwitches() {
    String yaml =
        "{store: 'switched:change', namespaces: {both: {layout: js_safe, next-layout: classic},"
            + " one: {layout: js_safe}, open: {layout: js_safe}}}";
    try (HttpServing serving = HttpServing.start(yaml)) {
      Instant at = Instant.now().plus(1, ChronoUnit.HOURS).truncatedTo(ChronoUnit.SECONDS);
      RegisterStore store = RegisterStore.open("switched:change");
      for (String name : List.of("both", "one", "open")) {
        LayoutChange.of(store, name).apply(IdLayout.CLASSIC, at, false);
      }
      Register open = store.read("open/layout").orElseThrow();
      store.compareAndSet(
          open.name(), open.version(), open.value().replace("state=fixed", "state=proposed"));
      browser.open(serving.uri("/#namespace=both"));
      browser.await(
          "#change", "Layout js_safe until .* then classic\\. This server switches to it\\.");
      browser.open(serving.uri("/#namespace=one"));
      browser.await("#change", ".* This server has no such next-layout, and stops then\\.");
      browser.open(serving.uri("/#namespace=open"));
      browser.await("#change", "Its change .* was not completed: all processes stop then\\.");
      browser.open(serving.uri("/"));
      browser.await("#strip", "(?s).*open: its change to layout classic was not completed.*");
      browser.await("#strip", "(?s).*one: its layout changes to classic at .*");
    }
  }

  @Test
  void manyNamespacesArePagedFilteredAndSortedInSmallAnswers() throws Exception {
    StringBuilder yaml = new StringBuilder("store: switched:many\nnamespaces:\n");
    for (int i = 0; i < 199; i++) {
      yaml.append("  family-with-a-name-%03d: {}\n".formatted(i));
    }
    yaml.append("  numbers: {type: segment}\n");
    try (HttpServing serving = HttpServing.start(yaml.toString())) {
      assertThat(serving.get("/v1/ids/family-with-a-name-150").statusCode()).isEqualTo(200);
      open(serving);
      browser.await("#namespaces-pages span", "Page 1 of 8, 200 rows");
      assertThat(browser.count("#namespaces tbody tr")).isEqualTo(25);
      browser.click("#namespaces-pages button:last-child");
      browser.await("#namespaces-pages span", "Page 2 of 8, 200 rows");
      browser.await("#namespaces tbody tr:first-child", "family-with-a-name-025.*");
      browser.run(
          "const sort = document.getElementById('sort'); sort.value = 'issued';"
              + "sort.dispatchEvent(new Event('change'))");
      browser.await("#namespaces tbody tr:first-child", "family-with-a-name-150.*");
      browser.type("#filter", "NAME-07");
      browser.await("#namespaces-pages", "");
      browser.await("#namespaces tbody td.first", "(family-with-a-name-07[0-9]\n?){10}");
      browser.await("#workers tbody td.first", "(family-with-a-name-07[0-9] [0-9]+\n?){10}");
      browser.type("#filter", "elsewhere");
      browser.await("#namespaces", "None has such a name\\.");
      browser.await("#workers", "None has such a name\\.");
      browser.await("#segments", "None has such a name\\.");
      assertThat(
              (Long)
                  browser.run(
                      "return Math.max(...performance.getEntriesByType('resource')"
                          + ".filter(e => e.name.includes('/v1/')).map(e => e.transferSize))"))
          .isLessThan(10_000);
    }
  }

  @Test
  void requestsOfTheConsoleAreNotMeasured() {
    try (HttpServing serving = HttpServing.start("{}");
        RawHttp shop = serving.connect()) {
      shop.send("GET /livez HTTP/1.1\r\nHost: localhost\r\nUser-Agent: shop/1.2 (x)\r\n\r\n");
      assertThat(shop.answer()).endsWith("alive\n");
      open(serving);
      browser.await("#protocols tbody", "http.*shop 1.*");
      browser.await("#version", "Firn [^ ]+, up [0-9].*");
      browser.run(
          "return new Promise(done => { const look = () => performance.getEntriesByType('resource')"
              + ".filter(e => e.name.includes('/v1/console/')).length > 6 ? done() : setTimeout(look, 100);"
              + " look(); })");
      assertThat(browser.text("#latency-now")).isEqualTo("–");
      assertThat(serving.server().service().traffic().get("http").requests())
          .isBetween(1L, 2L); // the shop's, and the named layouts
    }
  }

  @Test
  void aClockThatStepsBackShowsInTheStrip() throws Exception {
    ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));
    try (HttpServing serving = HttpServing.start(time, "{}")) {
      open(serving);
      assertThat(serving.get("/v1/ids/default").statusCode()).isEqualTo(200);
      time.step(Duration.ofSeconds(-10));
      assertThat(serving.get("/v1/ids/default").statusCode()).isEqualTo(503);
      browser.await("#strip", "default: the clock stepped back once\\.\\s+Dismiss");
    }
  }

  @Test
  void anEmptySegmentAndALayoutThatEndsSoonShowInTheStrip() throws Exception {
    String yaml =
        """
        store: switched:empty
        namespaces:
          numbers: {type: segment, step: 1, max-wait: 1s}
          old: {layout: "34t+10w+12s@2022-06-01T00:00:00Z/10ms", allow-under-ten-years: on}
        """;
    try (HttpServing serving = HttpServing.start(yaml)) {
      open(serving);
      browser.await("#strip", "old: its layout runs out on 2027-11-10, .*");
      SwitchedStores.named("empty").down(true);
      while (serving.get("/v1/ids/numbers?count=100").statusCode() == 200) {
        // takes what is in stock
      }
      browser.await("#strip", "Not ready\\. No number of key numbers is left from .*");
      browser.await("#segments tbody", "numbers.*no answer.*");
      SwitchedStores.named("empty").down(false);
      browser.await("#strip", ".*numbers ran out of numbers: requests waited for a segment .*");
    }
  }

  @Test
  void aServerThatIsGoneShowsInTheStrip() {
    HttpServing serving = HttpServing.start("{}");
    try (serving) {
      open(serving);
    }
    browser.await("#strip", "No answer from this server since [0-9:]{8}\\..*");
    browser.await("#state", "No answer");
    browser.type("#id", MESSAGE);
    browser.await("#decode-problem", "No answer from this server\\.");
  }

  @Test
  void nothingIsAskedOfAnotherOrigin() {
    try (HttpServing serving = HttpServing.start("{}")) {
      open(serving);
      browser.type("#id", MESSAGE);
      browser.await("#workers tbody", "default.*");
      String asked =
          (String)
              browser.run(
                  "return performance.getEntriesByType('resource').map(e => e.name).join(' ')");
      assertThat(asked.split(" ", -1))
          .hasSizeGreaterThan(15)
          .allMatch(name -> name.startsWith(serving.uri("/").toString()));
      String elsewhere = serving.uri("/livez").toString().replace("127.0.0.1", "localhost");
      assertThat(
              browser.run(
                  "return fetch(arguments[0], {mode: 'no-cors'}).then(() => 'let through', e => '' + e)",
                  elsewhere))
          .isEqualTo("TypeError: Failed to fetch");
    }
  }

  @Test
  void showsThatNewProcessesLeadAndByHowMuch() {
    try (RedisServer redis = RedisServer.start();
        HttpServing serving =
            HttpServing.start(
                "{store: 'redis://127.0.0.1:"
                    + redis.port()
                    + "?timeout=15s', namespaces: {orders: {settle-time: 1h, window: 2h}}}");
        RegisterStore store =
            RegisterStore.open("redis://127.0.0.1:" + redis.port() + "?timeout=15s");
        Snowflake other =
            Snowflake.builder()
                .lease(
                    LeaseConfig.builder(store, "orders")
                        .instance("other-host")
                        .settleTime(Duration.ofHours(3))
                        .build())
                .build()) {
      assertThat(other.leaseStatus()).isPresent();
      open(serving);
      browser.await("#marks", "orders: .* New processes lead the clock until .*");
      browser.await("#workers tbody", "orders.*other-host.*[0-9]\\D?[0-9]{3}\\D?[0-9]{3} ms.*");
    }
  }

  @Test
  void marksOfManyNamespacesAreOneLineThatStaysOpen() {
    try (RedisServer redis = RedisServer.start();
        HttpServing serving =
            HttpServing.start(
                "{store: 'redis://127.0.0.1:"
                    + redis.port()
                    + "?timeout=15s', namespaces: {a: {settle-time: 1h},"
                    + " b: {settle-time: 1h}, c: {settle-time: 1h}, d: {settle-time: 1h}}}")) {
      open(serving);
      browser.await(
          "#marks", "4 namespaces: .* New processes lead the clock, or wait, until .* at most\\.");
      browser.click("#marks summary");
      browser.await("#marks", "4 namespaces: .*a: .*b: .*c: .*d: its store .*");
      browser.run("document.querySelector('#marks details').dataset.seen = 'yes'");
      browser.await("#marks details:not([data-seen])", "4 namespaces: .*d: its store .*");
    }
  }

  @Test
  void hostileTextStaysText() {
    String hostile = "<img/src=/x/onerror=document.title='hit'>";
    String yaml = "{store: 'switched:hostile', instance: \"" + hostile + "\"}";
    try (HttpServing serving = HttpServing.start(yaml)) {
      open(serving);
      browser.await("#workers tbody", "default.*");
      assertThat(browser.text("#workers tbody")).contains(hostile);
      assertThat(browser.text("#where")).contains(hostile);
      browser.type("#id", hostile + "<script>document.title='hit'</script>");
      browser.await("#decode-problem", "id: <img.*<script>.*");
      browser.open(serving.uri("/#id=%3Cimg/src=/x/onerror=document.title='hit'%3E"));
      browser.await("#decode-problem", "id: <img.*");
      assertThat(browser.count("img:not([alt=''])")).isZero();
      assertThat(browser.count("main script")).isZero();
      assertThat(browser.run("return document.title")).isNotEqualTo("hit");
    }
  }

  @Test
  void markupOutOfAScriptIsRefused() {
    try (HttpServing serving = HttpServing.start("{}")) {
      open(serving);
      assertThat(
              browser.run(
                  "try { document.body.innerHTML = '<b>'; return 'let through' } catch (e) { return e.name }"))
          .isEqualTo("TypeError");
    }
  }

  @ParameterizedTest
  @CsvSource({"320, light", "390, dark", "768, light", "1280, dark"})
  void noScreenScrollsSideways(int width, String scheme) {
    String yaml =
        "{instance: %s, namespaces: {default: {}, %s: {layout: sonyflake}, numbers: {type: segment}}}"
            .formatted("i".repeat(100), "n".repeat(64));
    try (HttpServing serving = HttpServing.start(yaml)) {
      open(serving);
      browser.screen(width, 800, scheme);
      browser.await("#workers tbody", ".*default.*");
      Map<String, String> said =
          Map.of(MESSAGE, "sonyflake", UUID_7, "UUID of version 7", "9".repeat(200), "id: 9");
      said.forEach(
          (id, answer) -> {
            browser.type("#id", id);
            browser.await("#reading .title strong, #decode-problem", answer + ".*");
            browser.run("document.querySelectorAll('details').forEach(d => d.open = true)");
            assertThat((Long) browser.run("return document.documentElement.scrollWidth"))
                .as("%s on a screen of %s", id, width)
                .isLessThanOrEqualTo(width);
            assertThat(ConsoleLook.brokenNumbers(browser)).isEmpty();
            assertThat(ConsoleLook.brokenLabels(browser)).isEmpty();
          });
      browser.run("location.hash = '#namespace=default'");
      browser.await("#namespace-body tbody", ".*leased a worker ID.*");
      assertThat(ConsoleLook.brokenNumbers(browser)).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"light", "dark"})
  void textStandsOut(String scheme) {
    try (HttpServing serving = HttpServing.start("{}")) {
      open(serving);
      browser.screen(1280, 900, scheme);
      assertThat(ConsoleLook.faintColors(browser)).isEmpty();
    }
  }

  @Test
  void everyButtonHasAName() {
    try (HttpServing serving = HttpServing.start("{}")) {
      open(serving);
      browser.type("#id", MESSAGE);
      browser.await("#reading summary", "[0-9]+ other.*");
      assertThat(browser.names())
          .contains("input ID", "button Decode", "button Issue one")
          .allMatch(name -> name.matches("[a-z]+ .*[A-Za-z].*"));
    }
  }

  @Test
  void aTokenIsAskedForAndKeptInTheTab(@TempDir Path directory) throws Exception {
    Files.writeString(directory.resolve("token"), "a-token-for-everything\n");
    try (HttpServing serving =
        HttpServing.start("{tokens: {all: {file: %s/token}}}".formatted(directory))) {
      browser.open(serving.uri("/#id=" + MESSAGE));
      browser.await("#access h2", "This server requires a token");
      assertThat(browser.text("#state")).isEqualTo("Locked");
      browser.type("#token", "a-token-for-everything\u200b");
      browser.click("#access button");
      browser.await("#token-problem", "A token has 16 to 256 visible ASCII characters\\.");
      browser.type("#token", "a-token-for-nothing");
      browser.click("#access button");
      browser.await("#token-problem", "The server does not know this token\\.");
      browser.type("#token", "a-token-for-everything");
      browser.click("#access button");
      browser.await("#state", "Ready");
      browser.await("#reading .title strong", "discord");
      assertThat(browser.text("#access")).isEmpty();
      assertThat(browser.run("return document.cookie + localStorage.length")).isEqualTo("0");
      browser.reload();
      browser.await("#state", "Ready");
      browser.click("#forget");
      browser.await("#state", "Locked");
      browser.openNewTab(serving.uri("/"));
      browser.await("#state", "Locked");
    }
  }
}
