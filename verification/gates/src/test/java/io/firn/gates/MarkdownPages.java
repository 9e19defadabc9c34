package io.firn.gates;

import static java.util.Comparator.comparing;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Markdown below a folder, with its links and headings as GitHub reads them. */
final class MarkdownPages {

  private static final Set<String> SKIPPED = Set.of("target", "node_modules", ".git", ".m2");
  private static final Pattern LINK = Pattern.compile("\\]\\(\\s*([^)\\s]+)\\s*\\)");
  private static final Pattern HEADING = Pattern.compile("#{1,6} +(.*?) *#*");
  private static final Pattern SOURCE =
      Pattern.compile("<(?:img|a|source)[^>]* (?:src|href|srcset)=\"([^\"]+)\"");

  private final Path root;

  MarkdownPages(Path root) {
    this.root = root;
  }

  /** Returns the pages, without what a build or an installation left. */
  List<Path> all() throws IOException {
    List<Path> pages = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return SKIPPED.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (file.toString().endsWith(".md")) {
              pages.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    pages.sort(comparing(Path::toString));
    return pages;
  }

  /** Returns a line for each link that leads nowhere. */
  List<String> deadLinks() throws IOException {
    List<String> dead = new ArrayList<>();
    for (Path page : all()) {
      for (String link : links(page)) {
        if (!link.matches("[a-z]+:.*") && !leadsSomewhere(page, link)) {
          dead.add(root.relativize(page) + ": " + link + " (expected: a file, or a heading of it)");
        }
      }
    }
    return dead;
  }

  private static boolean leadsSomewhere(Path page, String link) throws IOException {
    String file = link.replaceFirst("#.*", "");
    Path target =
        file.isEmpty()
            ? page
            : page.resolveSibling(URLDecoder.decode(file, StandardCharsets.UTF_8)).normalize();
    if (!Files.exists(target)) {
      return false;
    }
    return !link.contains("#")
        || !target.toString().endsWith(".md")
        || anchors(target).contains(link.substring(link.indexOf('#') + 1));
  }

  private static Set<String> links(Path page) throws IOException {
    Set<String> links = new TreeSet<>();
    String text = String.join("\n", prose(page)).replaceAll("`[^`\n]+`", "`");
    for (Pattern pattern : List.of(LINK, SOURCE)) {
      pattern.matcher(text).results().map(found -> found.group(1)).forEach(links::add);
    }
    return links;
  }

  /** Returns the anchors of a page's headings. */
  private static Set<String> anchors(Path page) throws IOException {
    Set<String> anchors = new TreeSet<>();
    Map<String, Integer> seen = new HashMap<>();
    for (String line : prose(page)) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        String anchor = anchor(heading.group(1));
        int before = seen.merge(anchor, 1, Integer::sum) - 1;
        anchors.add(before == 0 ? anchor : anchor + "-" + before);
      }
    }
    return anchors;
  }

  /** Returns the anchor that GitHub gives to a heading. */
  static String anchor(String heading) {
    return heading
        .replaceAll("\\[([^\\]]*)\\]\\([^)]*\\)", "$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{M}\\p{N}\\p{Pc}\\- ]", "")
        .replace(' ', '-');
  }

  /** Returns the lines of a page outside of its blocks of code. */
  private static List<String> prose(Path page) throws IOException {
    List<String> prose = new ArrayList<>();
    boolean fenced = false;
    for (String line : Files.readAllLines(page)) {
      if (line.strip().startsWith("```")) {
        fenced = !fenced;
      } else if (!fenced && !line.startsWith("    ")) {
        prose.add(line);
      }
    }
    return prose;
  }
}
