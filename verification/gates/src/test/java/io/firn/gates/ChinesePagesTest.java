package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A translated page has the blocks of code of the page, or the section, that it names at its top.
 */
final class ChinesePagesTest {

  private static final Pattern ORIGINAL =
      Pattern.compile("(?m)^\\[English]\\(([^)#]+)(?:#([^)]+))?\\)");

  @TempDir private Path directory;

  @Test
  void blocksOfCodeAreThoseOfTheEnglishPages() throws IOException {
    assertThat(translated(Checkout.ROOT)).hasSizeGreaterThan(5);
    assertThat(differing(Checkout.ROOT)).isEmpty();
  }

  @Test
  void plantedDifferencesAreFound() throws IOException {
    Path pages = Files.createDirectories(directory.resolve("docs/zh"));
    Files.writeString(
        directory.resolve("docs/a.md"), "# A\n\n    firn next\n\n## B\n\n```java\none();\n```\n");
    Files.writeString(pages.resolve("same.md"), "[English](../a.md#b)\n\n```java\none();\n```\n");
    Files.writeString(
        pages.resolve("other.md"), "[English](../a.md)\n\n    firn next\n\n```java\ntwo();\n```\n");
    Files.writeString(pages.resolve("less.md"), "[English](../a.md)\n\n    firn next\n");
    assertThat(differing(directory))
        .containsExactlyInAnyOrder("docs/zh/other.md", "docs/zh/less.md");
  }

  private static List<String> differing(Path root) throws IOException {
    List<String> differing = new ArrayList<>();
    for (Path page : translated(root)) {
      MatchResult original = original(page).orElseThrow();
      List<String> lines = Files.readAllLines(page.resolveSibling(original.group(1)).normalize());
      if (!blocks(Files.readAllLines(page)).equals(blocks(section(lines, original.group(2))))) {
        differing.add(root.relativize(page).toString());
      }
    }
    return differing;
  }

  private static List<Path> translated(Path root) throws IOException {
    List<Path> pages = new ArrayList<>();
    for (Path page : new MarkdownPages(root).all()) {
      boolean chinese = page.toString().contains("/zh/") || page.toString().endsWith(".zh-CN.md");
      if (chinese && original(page).isPresent()) {
        pages.add(page);
      }
    }
    return pages;
  }

  private static Optional<MatchResult> original(Path page) throws IOException {
    return ORIGINAL.matcher(Files.readString(page)).results().findFirst();
  }

  /** Returns the lines of a page, or of its section with that anchor. */
  private static List<String> section(List<String> lines, @Nullable String anchor) {
    if (anchor == null) {
      return lines;
    }
    List<String> section = new ArrayList<>();
    boolean inside = false;
    for (String line : lines) {
      if (line.startsWith("## ")) {
        inside = MarkdownPages.anchor(line.substring(3)).equals(anchor);
      }
      if (inside) {
        section.add(line);
      }
    }
    return section;
  }

  /** Returns the blocks of code, fenced or indented, without the indentation of a list. */
  private static List<String> blocks(List<String> lines) {
    List<String> blocks = new ArrayList<>();
    StringBuilder block = new StringBuilder();
    boolean fenced = false;
    for (String line : lines) {
      boolean fence = line.startsWith("```");
      if (fence) {
        fenced = !fenced;
      }
      if (fenced || fence || line.startsWith("    ")) {
        block.append(line.strip()).append('\n');
      } else if (block.length() > 0) {
        blocks.add(block.toString());
        block.setLength(0);
      }
    }
    if (block.length() > 0) {
      blocks.add(block.toString());
    }
    return blocks;
  }
}
