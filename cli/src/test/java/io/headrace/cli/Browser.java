package io.headrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.WebDriverWait;

/**
 * Chromium without a window. Its pages are drawn anew every two seconds, so elements are looked for
 * again until they are there.
 */
final class Browser implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final Path SCREENSHOTS = Path.of("target", "screenshots");

  /** Tells the violations of accessibility that axe calls serious or critical. */
  private static final String AXE_RUN =
      """
      const done = arguments[arguments.length - 1];
      axe.run(document, { resultTypes: ["violations"] }).then(
        (found) => done(found.violations
          .filter((one) => one.impact === "serious" || one.impact === "critical")
          .map((one) => one.id + ": " + one.help + ": " + one.nodes.map((node) => node.html).join(" "))),
        (failure) => done(["axe failed: " + failure]));
      """;

  private final ChromeDriver driver;
  private final WebDriverWait patience;

  private Browser(ChromeDriver driver) {
    this.driver = driver;
    this.patience = new WebDriverWait(driver, PATIENCE);
    patience.ignoring(StaleElementReferenceException.class);
  }

  /** Starts a browser of these programs. */
  static Browser start(String chromium, String chromedriver) {
    LoggingPreferences logs = new LoggingPreferences();
    logs.enable(LogType.BROWSER, Level.ALL);
    ChromeOptions options = new ChromeOptions();
    options.setBinary(chromium);
    // Chromium's sandbox refuses root, and small containers have no room in /dev/shm.
    options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage");
    options.setCapability("goog:loggingPrefs", logs);
    ChromeDriverService service =
        new ChromeDriverService.Builder()
            .usingDriverExecutable(new File(chromedriver))
            .usingAnyFreePort()
            .build();
    return new Browser(new ChromeDriver(service, options));
  }

  void open(String url) {
    driver.get(url);
  }

  void reload() {
    driver.navigate().refresh();
  }

  /** Waits for an element with {@code words} in its text. */
  void await(String css, String words) {
    var _ =
        patience
            .withMessage(() -> "an element " + css + " with the text '" + words + "' in\n" + text())
            .until(_ ->
                driver.findElements(By.cssSelector(css)).stream()
                    .map(WebElement::getText)
                    .anyMatch(text -> text.contains(words)));
  }

  /** Waits until so many elements are there. */
  void awaitCount(String css, int count) {
    var _ =
        patience
            .withMessage(() -> count + " elements " + css + " in\n" + text())
            .until(_ -> driver.findElements(By.cssSelector(css)).size() == count);
  }

  /** Clicks the first element with {@code words} in its text. */
  void click(String css, String words) {
    var _ =
        patience
            .withMessage(() -> "an element " + css + " with the text '" + words + "' in\n" + text())
            .until(_ -> {
              for (WebElement element : driver.findElements(By.cssSelector(css))) {
                if (element.getText().contains(words)) {
                  element.click();
                  return true;
                }
              }
              return false;
            });
  }

  /** Types into the element with the focus. */
  void type(CharSequence... keys) {
    new Actions(driver).sendKeys(keys).perform();
  }

  /** Moves the focus on by the tabulator key until it is on an element of this selector. */
  void tabTo(String css) {
    int most = 60;
    while (!isFocused(css)) {
      type(Keys.TAB);
      assertThat(--most).as("no %s has the focus after many tabs", css).isPositive();
    }
  }

  boolean isFocused(String css) {
    return script("return document.activeElement.matches(arguments[0])", css).equals(true);
  }

  /** The text of the page. */
  String text() {
    return driver.findElement(By.tagName("body")).getText();
  }

  /** The part of the address behind the page: {@code #/workers}. */
  String hash() {
    return script("return location.hash").toString();
  }

  Object script(String script, Object... arguments) {
    return Objects.requireNonNullElse(driver.executeScript(script, arguments), "");
  }

  /** Waits until the expression holds in the page. */
  void awaitScript(String expression) {
    var _ =
        patience
            .withMessage(() -> expression + " in\n" + text())
            .until(_ -> Boolean.TRUE.equals(script("return Boolean(" + expression + ")")));
  }

  /** The value of a promise in the page. */
  Object promised(String promise, Object... arguments) {
    return Objects.requireNonNullElse(
        driver.executeAsyncScript(
            "const done = arguments[arguments.length - 1];"
                + promise
                + ".then(done, failure => done(\"failed: \" + failure));",
            arguments),
        "");
  }

  /** The size of the page in CSS pixels, as of a phone or a window. */
  void resize(int width, int height) {
    var _ =
        driver.executeCdpCommand(
            "Emulation.setDeviceMetricsOverride",
            Map.of(
                "width", width, "height", height, "deviceScaleFactor", 1, "mobile", width < 600));
  }

  /** Lets pages ask for the colours of {@code light} or {@code dark}. */
  void prefer(String scheme) {
    var _ =
        driver.executeCdpCommand(
            "Emulation.setEmulatedMedia",
            Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
  }

  /** Keeps a picture of what is seen, for people to look at. */
  void screenshot(String name) throws IOException {
    Files.createDirectories(SCREENSHOTS);
    var _ =
        Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
  }

  /** Fails if the page is wider than the window. */
  void assertFits() {
    assertThat((Long) script("return document.documentElement.scrollWidth - innerWidth"))
        .as("pixels that the page is too wide")
        .isNotPositive();
  }

  /** Fails if axe-core finds a serious fault of accessibility. */
  void assertAccessible() throws IOException {
    try (InputStream axe = Browser.class.getResourceAsStream("/axe.min.js")) {
      var _ = script(new String(Objects.requireNonNull(axe).readAllBytes(), UTF_8));
    }
    assertThat((List<?>) driver.executeAsyncScript(AXE_RUN)).as(driver.getCurrentUrl()).isEmpty();
  }

  /** Fails if the page's console has an error or a warning that is not expected. */
  void assertQuiet(String... expected) {
    assertThat(
            driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(line -> line.getLevel().intValue() >= Level.WARNING.intValue())
                .map(LogEntry::getMessage)
                .filter(line -> List.of(expected).stream().noneMatch(line::contains)))
        .isEmpty();
  }

  @Override
  public void close() {
    driver.quit();
  }
}
