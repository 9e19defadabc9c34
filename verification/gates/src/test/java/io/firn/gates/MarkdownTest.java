package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every link of the documentation leads somewhere, and the site shows every page. */
final class MarkdownTest {

  private static final Pattern PAGE = Pattern.compile("\"([^\" ]+\\.md)\"");
  private static final Pattern FOLDERS = Pattern.compile("\"folders\": *\\[([^]]*)]");
  private static final Pattern FOLDER = Pattern.compile("\"([^\"]+)\"");

  @TempDir private Path directory;

  @Test
  void everyLinkLeadsToAFileOrAHeading() throws IOException {
    MarkdownPages pages = new MarkdownPages(Checkout.ROOT);
    assertThat(pages.all()).hasSizeGreaterThan(40);
    assertThat(pages.deadLinks()).isEmpty();
  }

  @Test
  void theReadmeIsShort() throws IOException {
    assertThat(Files.readAllLines(Checkout.ROOT.resolve("README.md")))
        .hasSizeLessThanOrEqualTo(150);
  }

  @Test
  void plantedDeadLinksAreFound() throws IOException {
    Files.writeString(
        directory.resolve("page.md"),
        """
        # A page, and `code`

        [good](#a-page-and-code) [good](other.md#twice-1) [code](#nowhere-in-a-fence
        ) `[code](absent.md)` <img src="absent.svg">

            [block](absent.md)

        ```
        [fence](absent.md)
        ```
        [dead file](absent.md) [dead anchor](other.md#thrice) [dead here](#nowhere)
        """);
    Files.writeString(directory.resolve("other.md"), "# Other\n## Twice\n## Twice\n");
    Files.createDirectory(directory.resolve("target"));
    Files.writeString(directory.resolve("target/built.md"), "[dead](absent.md)");
    String expected = " (expected: a file, or a heading of it)";
    assertThat(new MarkdownPages(directory).deadLinks())
        .containsExactly(
            "page.md: #nowhere" + expected,
            "page.md: #nowhere-in-a-fence" + expected,
            "page.md: absent.md" + expected,
            "page.md: absent.svg" + expected,
            "page.md: other.md#thrice" + expected);
  }

  /** A page that the navigation does not name stands at the end of its folder's section. */
  @Test
  void siteShowsEveryPageAndNamesNoneThatIsGone() throws IOException {
    String navigation = Files.readString(Checkout.ROOT.resolve("site/navigation.json"));
    List<String> named = PAGE.matcher(navigation).results().map(found -> found.group(1)).toList();
    assertThat(named)
        .isNotEmpty()
        .allSatisfy(page -> assertThat(Checkout.ROOT.resolve(page)).exists());
    Set<String> folders =
        FOLDERS
            .matcher(navigation)
            .results()
            .flatMap(found -> FOLDER.matcher(found.group(1)).results())
            .map((MatchResult found) -> found.group(1))
            .collect(Collectors.toSet());
    assertThat(new MarkdownPages(Checkout.ROOT.resolve("docs")).all())
        .isNotEmpty()
        .allSatisfy(
            page -> {
              String path = Checkout.ROOT.relativize(page).toString();
              assertThat(named.contains(path) || folders.contains(Path.of(path).getParent() + ""))
                  .as(path + " is in site/navigation.json, or its folder is")
                  .isTrue();
            });
  }
}
