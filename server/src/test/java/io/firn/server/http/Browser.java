package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testservers.InstalledProgram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.openqa.selenium.By;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.WindowType;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/** A Chromium without a window, with a profile of its own. */
final class Browser implements AutoCloseable {

  private static final String REQUIRE = "FIRN_REQUIRE_BROWSER";
  private static final InstalledProgram CHROMIUM =
      new InstalledProgram("chromium", "chromium", REQUIRE);
  private static final InstalledProgram DRIVER =
      new InstalledProgram("chromedriver", "chromium-driver", REQUIRE);

  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final int WIDE = 1280;
  private static final int HIGH = 900;

  private final Path profile;
  private final ChromeDriver driver;
  private final Thread atExit = new Thread(this::end);

  private Browser(Path profile) {
    this.profile = profile;
    ChromeOptions options = new ChromeOptions();
    options.setBinary(CHROMIUM.find().orElseThrow().toFile());
    options.addArguments(
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-extensions",
        "--disable-software-rasterizer",
        "--in-process-gpu",
        "--renderer-process-limit=1",
        "--disable-site-isolation-trials",
        "--user-data-dir=" + profile);
    driver =
        new ChromeDriver(
            new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.find().orElseThrow().toFile())
                .withSilent(true)
                .build(),
            options);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  static boolean isInstalled() {
    return CHROMIUM.isInstalled() && DRIVER.isInstalled();
  }

  static Browser start() {
    try {
      return new Browser(Files.createTempDirectory("firn-browser"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Opens a page in a tab that keeps nothing of before, on a wide and light screen. */
  void open(URI uri) {
    if (driver.getCurrentUrl().startsWith("http")) {
      run("sessionStorage.clear()");
      driver.get("about:blank"); // a page that differs behind # only would not be loaded
    }
    load(uri);
  }

  /** As above, in a new tab, which takes a process more. */
  void openNewTab(URI uri) {
    String old = driver.getWindowHandle();
    driver.switchTo().newWindow(WindowType.TAB);
    String tab = driver.getWindowHandle();
    driver.switchTo().window(old).close();
    driver.switchTo().window(tab);
    load(uri);
  }

  private void load(URI uri) {
    screen(WIDE, HIGH, "light");
    driver.get(uri.toString());
  }

  void reload() {
    driver.navigate().refresh();
  }

  /** A screen of that size, and which of the schemes light and dark its owner likes. */
  void screen(int width, int height, String scheme) {
    driver.executeCdpCommand(
        "Emulation.setDeviceMetricsOverride",
        Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
    driver.executeCdpCommand(
        "Emulation.setEmulatedMedia",
        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  void type(String css, String text) {
    driver.findElement(By.cssSelector(css)).clear();
    driver.findElement(By.cssSelector(css)).sendKeys(text);
  }

  /** Clicks an element, which the page may replace meanwhile: then the next one. */
  void click(String css) {
    for (int left = 10; ; left--) {
      try {
        driver.findElement(By.cssSelector(css)).click();
        return;
      } catch (StaleElementReferenceException e) {
        if (left == 0) {
          throw e;
        }
      }
    }
  }

  /** Returns the result of a script. */
  Object run(String script, Object... arguments) {
    return driver.executeScript(script, arguments);
  }

  /** Returns the number of elements. */
  long count(String css) {
    return (Long) run("return document.querySelectorAll(arguments[0]).length", css);
  }

  /** The text that people see in those elements, a line for each. */
  String text(String css) {
    return (String)
        run(
            "return [...document.querySelectorAll(arguments[0])].filter(e => e.checkVisibility())"
                + ".map(e => e.innerText).join('\\n')",
            css);
  }

  /** Waits until that is so. */
  void await(String css, String regex) {
    Instant end = Instant.now().plus(TIMEOUT);
    while (!text(css).matches("(?s)" + regex) && Instant.now().isBefore(end)) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    assertThat(text(css)).matches("(?s)" + regex);
  }

  /** The names by which a screen reader tells what can be typed into or pressed. */
  List<String> names() {
    return driver.findElements(By.cssSelector("input, button, summary, a")).stream()
        .filter(WebElement::isDisplayed)
        .map(element -> element.getTagName() + " " + element.getAccessibleName())
        .toList();
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(atExit);
    end();
  }

  private void end() {
    driver.quit();
    try (Stream<Path> files = Files.walk(profile)) {
      files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
