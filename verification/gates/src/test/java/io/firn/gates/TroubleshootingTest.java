package io.firn.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of failures has each that the library, stores, integrations and server print. */
final class TroubleshootingTest {

  private static final String PAGE = "docs/operating/troubleshooting.md";
  private static final String HEADER = "| message | cause | what to do |";
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static Set<String> printed;

  @TempDir private Path directory;

  @BeforeAll
  static void readTheSources() throws IOException {
    List<String> modules = new ArrayList<>(Checkout.published(everyModule()));
    modules.remove("testkit");
    printed = PrintedMessages.below(SourceTrees.mainOf(modules));
  }

  /** A new message, or a changed one, needs its line in the page, in backquotes as it is here. */
  @Test
  void everyMessageHasItsLine() throws IOException {
    Set<String> missing = new TreeSet<>(printed);
    assertThat(missing).hasSizeGreaterThan(150);
    missing.removeAll(documented());
    assertThat(missing).as("messages that " + PAGE + " does not have").isEmpty();
  }

  @Test
  void everyLineIsAMessage() throws IOException {
    Set<String> gone = documented();
    gone.removeAll(printed);
    assertThat(gone).as("messages of " + PAGE + " that nothing prints").isEmpty();
  }

  @Test
  void failuresAreSentencesWithoutAnInstruction() throws IOException {
    assertThat(PrintedMessages.instructions(SourceTrees.mainOf(everyModule()))).isEmpty();
  }

  private static List<String> everyModule() {
    return Stream.concat(Checkout.modules().stream(), Checkout.modulesOf("engines").stream())
        .toList();
  }

  @Test
  void plantedInstructionsAreFound() throws IOException {
    Files.writeString(
        directory.resolve("Planted.java"),
        """
        class Planted {
          String one = "store: x (expected: to answer)";
          String two = "store: x (expected: " + "to answer)";
          String three = "file: a (expected: no such " + "failure)";
          String good = "sort: x (expected: total, tokens)";
        }
        """);
    assertThat(PrintedMessages.instructions(List.of(directory)))
        .containsExactlyInAnyOrder(
            "store: x (expected: to answer)", "file: a (expected: no such failure)");
  }

  @Test
  void failuresAreSentences() throws IOException {
    assertThat(PrintedMessages.rulesInFailures(SourceTrees.mainOf(everyModule()))).isEmpty();
  }

  @Test
  void plantedRulesInFailuresAreFound() throws IOException {
    Files.writeString(
        directory.resolve("Planted.java"),
        """
        class Planted {
          void fail(String store, Exception cause) {
            if (cause == null) {
              throw new IllegalArgumentException("store: " + store + " (expected: an address)");
            }
            if (store.isEmpty()) {
              throw new IllegalStateException("scope: closed");
            }
            if (store.isBlank()) {
              throw new UnreadableRecordException(store + ": " + cause + " (expected: " + store + ")");
            }
            if (store.equals("closed")) {
              throw new IllegalStateException("Store " + store + " is closed: " + cause);
            }
            if (store.equals("settling")) {
              throw NoFreeWorkerException.unsettled("store " + store + " (expected: later)", 1);
            }
            throw new StoreException("store: " + store + " (expected: a " + "table)", cause);
          }
        }
        """);
    assertThat(PrintedMessages.rulesInFailures(List.of(directory)))
        .containsExactlyInAnyOrder(
            "scope: closed",
            "…: … (expected: …)",
            "store … (expected: later)",
            "store: … (expected: a table)");
  }

  private static Set<String> documented() throws IOException {
    Set<String> messages = new TreeSet<>();
    boolean table = false;
    for (String line : Files.readAllLines(Checkout.ROOT.resolve(PAGE))) {
      table = line.equals(HEADER) || (table && line.startsWith("|"));
      if (table) {
        CODE.matcher(line.replaceFirst("^\\| ", "").split(" \\| ", 2)[0])
            .results()
            .map(code -> code.group(1))
            .forEach(messages::add);
      }
    }
    return messages;
  }

  @Test
  void plantedMessagesAreFound() throws IOException {
    Files.writeString(
        directory.resolve("Planted.java"),
        """
        class Planted {
          void fail(String store, int count) {
            LOG.log(Level.WARNING, () -> "planted warning of " + store);
            LOG.log(Level.INFO, "planted " + "for nobody");
            badRequest("planted: " + count + " (expected: a rule)");
            if (count < 0) {
              throw new IllegalArgumentException("count: " + count + " (expected: 0 or more)");
            }
            throw new StoreException("Store %s did not answer ".formatted(store) + count + " times");
          }
        }
        """);
    assertThat(PrintedMessages.below(List.of(directory)))
        .containsExactlyInAnyOrder(
            "planted warning of …",
            "planted: … (expected: a rule)",
            "Store … did not answer … times");
  }
}
