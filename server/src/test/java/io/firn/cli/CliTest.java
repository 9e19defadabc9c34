package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CliTest {

  private final Session session = new Session();

  @Test
  void printsItsVersion() {
    assertThat(session.run("--version")).isZero();
    assertThat(session.out()).isEqualTo("firn development\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--help", "help", "-h"})
  void showsEveryCommandInItsHelp(String help) {
    assertThat(session.run(help)).isZero();
    assertThat(session.out())
        .startsWith("Usage: firn [-hV] [--trace] COMMAND\n")
        .containsSubsequence(
            "next",
            "decode",
            "range",
            "layout",
            "verify",
            "disjoint",
            "workers",
            "adopt",
            "top",
            "segments",
            "store",
            "doctor",
            "ddl",
            "sql",
            "serve",
            "simulate",
            "bench",
            "completion",
            "man",
            "help");
    assertThat(session.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "next",
        "decode",
        "range",
        "layout",
        "verify",
        "disjoint",
        "workers",
        "watermark",
        "top",
        "segments",
        "blocks",
        "store",
        "doctor",
        "ddl",
        "sql",
        "serve",
        "simulate",
        "bench",
        "completion",
        "man"
      })
  void helpsWithEachCommandInUnderThirtyLines(String command) {
    assertThat(session.run("help", command)).isZero();
    String help = session.out();
    assertThat(help).startsWith("Usage: firn " + command);
    assertThat(help.lines().count()).isLessThan(30);
    assertThat(help.lines()).allMatch(line -> line.length() <= 100);
    Session other = new Session();
    other.run(command, "--help");
    assertThat(other.out()).isEqualTo(help);
  }

  @Test
  void saysHowManyArgumentsACommandNeeds() {
    assertThat(session.run("regions", "redis://u:secret@h")).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: store: only 1 (expected: firn regions STORE STORE...)\n");
    Session none = new Session();
    assertThat(none.run("regions")).isEqualTo(2);
    assertThat(none.err())
        .startsWith("firn: store: none (expected: firn regions STORE STORE...)\n");
  }

  @Test
  void namesTheSettlingTimeThatItCannotRead() {
    assertThat(session.run("store", "settle-time", "memory:", "2", "--namespace", "a"))
        .isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: settle-time: 2 (expected: a time, as 90s or 2m or 1h)\n");
  }

  /** A list of commands shows the first line of what each one does. */
  @Test
  void saysInAWholeSentenceWhatEachCommandDoes() {
    for (String group : List.of("", "store", "workers")) {
      Session listing = new Session();
      listing.run(group.isEmpty() ? new String[] {"--help"} : new String[] {group, "--help"});
      List<String> summaries =
          listing
              .out()
              .replaceAll("\n {8,}", " ")
              .lines()
              .dropWhile(line -> !line.equals("Commands:"))
              .skip(1)
              .takeWhile(line -> line.startsWith("  "))
              .toList();
      assertThat(summaries).as(group).isNotEmpty().allMatch(line -> line.endsWith("."));
    }
  }

  /** Text is wrapped where the terminal ends, not where a line of the source did. */
  @ParameterizedTest
  @ValueSource(
      strings = {"restored", "settle-time", "after-loss", "home", "watermark", "release", "change"})
  void endsParagraphsOfHelpWithASentence(String command) {
    String group =
        Map.of("watermark", "", "release", "workers", "change", "layout")
            .getOrDefault(command, "store");
    session.environment(Map.of("COLUMNS", "60"));
    assertThat(session.run((group + " " + command + " --help").strip().split(" "))).isZero();
    List<String> description =
        session
            .out()
            .lines()
            .dropWhile(line -> line.startsWith("Usage: ") || line.startsWith(" "))
            .takeWhile(line -> !line.startsWith(" "))
            .toList();
    assertThat(description).isNotEmpty();
    for (int i = 0; i < description.size(); i++) {
      String line = description.get(i);
      String next = i + 1 < description.size() ? description.get(i + 1).split(" ", 2)[0] : "";
      assertThat(line.endsWith(".") || line.length() + next.length() >= 58).as(line).isTrue();
    }
  }

  /** Those of the root and of store do nothing without a command. */
  @Test
  void marksACommandThatMayBeLeftOut() {
    for (String group : List.of("workers", "layout", "blocks")) {
      Session other = new Session();
      other.run(group, "--help");
      assertThat(other.out().lines().findFirst().orElseThrow()).endsWith(" [COMMAND]");
    }
    session.run("store", "--help");
    assertThat(session.out()).startsWith("Usage: firn store [-hV] [--trace] COMMAND\n");
  }

  @Test
  void colorsHelpOnATerminalOnly() {
    session.run("--help");
    assertThat(session.out()).doesNotContain("\u001b");
    Session terminal = new Session().colored();
    terminal.run("--help");
    assertThat(terminal.out()).contains("\u001b[");
  }

  @Test
  void showsItsHelpAsAnErrorWithoutACommand() {
    assertThat(session.run()).isEqualTo(2);
    assertThat(session.out()).isEmpty();
    assertThat(session.err()).startsWith("Usage: firn [-hV] [--trace] COMMAND\n");
  }

  @Test
  void refusesAnUnknownCommand() {
    assertThat(session.run("nxt")).isEqualTo(2);
    assertThat(session.out()).isEmpty();
    assertThat(session.err())
        .isEqualTo(
            """
            firn: command: nxt (expected: next)
            Try: firn --help
            """);
    Session other = new Session();
    assertThat(other.run("help", "nxt")).isEqualTo(2);
    assertThat(other.err()).isEqualTo(session.err());
    Session far = new Session();
    far.run("zzzzzz");
    assertThat(far.err()).startsWith("firn: command: zzzzzz (expected: next, decode, range, ");
  }

  @Test
  void helpsWithACommandOfAGroup() {
    for (String command : List.of("workers reserve", "layout change", "store home")) {
      Session other = new Session();
      assertThat(other.run(("help " + command).split(" "))).isZero();
      assertThat(other.out()).startsWith("Usage: firn " + command + " [");
    }
  }

  /** An option before the command of a group is one of the group, which does not run. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "workers --store file:a reserve 0-31 --for old --namespace shop --layout classic"
            + "| option: --store before reserve (expected: options after it) | workers reserve",
        "workers --store bogus reserve 0 --for old --namespace shop"
            + "| option: --store before reserve (expected: options after it) | workers reserve",
        "workers --namespace shop release 0 --namespace shop"
            + "| option: --namespace before release (expected: options after it) | workers release",
        "workers --json release 0 --namespace shop"
            + "| option: --json before release (expected: options after it) | workers release",
        "blocks --store bogus forget j"
            + "| option: --store before forget (expected: options after it) | blocks forget",
        "blocks --namespace shop forget j"
            + "| option: --namespace before forget (expected: options after it) | blocks forget",
        "layout classic show orders"
            + "| argument: classic before show (expected: arguments after it) | layout show",
      })
  void refusesWhatIsGivenToAGroupBeforeItsCommand(String words, String message, String command) {
    assertThat(session.run(words.split(" "))).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo("firn: " + message + "\nTry: firn " + command + " --help\n");
    assertThat(session.out()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--trace workers reserve --help",
        "workers --trace reserve --help",
        "workers --store x reserve --help",
        "layout classic show --help"
      })
  void takesTheOptionsOfAllCommandsBeforeEach(String words) {
    assertThat(session.run(words.split(" "))).as(session.err()).isZero();
    assertThat(session.out()).startsWith("Usage: firn ");
  }

  @Test
  void refusesAPathThatTheLocaleCannotName() {
    assertThat(session.run("next", "--store", "file:a\0b")).isEqualTo(2);
    assertThat(session.err()).contains(" (expected: characters of the locale, such as C.UTF-8)\n");
    assertThat(session.err()).endsWith("Try: firn next --help\n");
  }

  @Test
  void fitsItsHelpIntoANarrowTerminal() {
    for (String command : new String[] {"next", "decode", "serve", "top"}) {
      Session narrow = new Session().environment(Map.of("COLUMNS", "60"));
      assertThat(narrow.run(command, "--help")).isZero();
      assertThat(narrow.out().lines()).as(command).allMatch(line -> line.length() <= 60);
    }
  }

  @Test
  void namesTheLauncherForWhatIsInOtherJars() {
    assertThat(session.run("simulate", "--seeds", "5")).isEqualTo(2);
    Session other = new Session();
    assertThat(other.run("bench")).isEqualTo(2);
    assertThat(other.err())
        .startsWith(
            "firn: command: bench, which is not in this jar (expected: ./firn bench in a"
                + " checkout)\n");
  }

  @Test
  void printsAManualPageOfAllCommands() {
    assertThat(session.run("man")).isZero();
    assertThat(session.out())
        .startsWith(".TH FIRN 1 ")
        .contains(".SS \"firn next\"\n", ".SS \"firn store restored\"\n", ".SH EXIT STATUS\n")
        .contains(".TP\n.B \\-\\-format FORMAT\ndecimal, hex, binary, ")
        .matches("[\\x0a\\x20-\\x7e]*");
  }

  @Test
  void refusesAnUnknownOption() {
    assertThat(session.run("decode", "--jsn", "5")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: option: --jsn (expected: --json)
            Try: firn decode --help
            """);
  }

  @Test
  void refusesAPairWithoutItsValue() {
    assertThat(session.run("segments", "--raise", "bills")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: raise: bills (expected: KEY=N)
            Try: firn segments --help
            """);
  }

  @Test
  void namesTheLayoutThatWasMeant() {
    assertThat(session.run("decode", "--layout", "discrd", "5")).isEqualTo(2);
    assertThat(session.err()).startsWith("firn: layout: discrd (expected: discord)\n");
  }

  /** The option that is misspelled is often the one that is missing. */
  @ParameterizedTest
  @ValueSource(strings = {"--namspace orders", "--namspace=orders"})
  void namesAMisspelledOptionRatherThanTheOneThatIsMissing(String misspelled) {
    String line = "workers reserve 0-3 --for leaf " + misspelled;
    assertThat(session.run(line.split(" "))).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: option: --namspace (expected: --namespace)
            Try: firn workers reserve --help
            """);
  }

  @Test
  void pointsToTheHelpWhenNoOptionIsNear() {
    assertThat(session.run("layout", "--colour")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: option: --colour (expected: one of firn layout --help)
            Try: firn layout --help
            """);
  }

  @Test
  void refusesAnArgumentTooMany() {
    assertThat(session.run("ddl", "mysql", "postgresql")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: argument: postgresql (expected: none further)
            Try: firn ddl --help
            """);
  }

  @Test
  void aStoreWithoutItsOptionIsNamedWithIt() {
    for (String command : List.of("top", "workers")) {
      assertThat(session.run(command, "redis://127.0.0.1:1")).isEqualTo(2);
      assertThat(session.err())
          .endsWith(
              """
              firn: argument: redis://127.0.0.1:1 (expected: --store=redis://127.0.0.1:1)
              Try: firn %s --help
              """
                  .formatted(command));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "workers redis://u:secret@h"
            + "| argument: redis://***@h (expected: --store=redis://***@h)",
        "workers redis://u:secret| argument: redis://u:*** (expected: --store=redis://u:***)",
        "workers --store redis://u:secret| store: redis://u:*** (expected: HOST or HOST:PORT after",
        "workers --store redis://h?pasword=secret"
            + "| pasword: in redis://h?pasword=*** (expected: one of key, ",
        "doctor redis://h redis://u:secret@h| argument: redis://***@h (expected: none further)",
        "redis://u:secret@h| command: redis://***@h (expected: ",
        "adopt list redis://u:secret@h --layout leaf --namespace n"
            + "| workers: redis://***@h (expected: ",
        "adopt twitter redis://u:secret@h --namespace n| workers: redis://***@h (expected: ",
        "workers reserve redis://u:secret@h --for x --namespace n"
            + "| workers: redis://***@h (expected: ",
        "top --server ftp://u:secret@h| server: ftp://***@h (expected: http://HOST:PORT or",
      })
  void printsNoSecretOfAnArgumentThatItRefuses(String words, String message) {
    assertThat(session.run(words.split(" "))).isEqualTo(2);
    assertThat(session.err()).startsWith("firn: " + message).doesNotContain("secret");
  }

  @Test
  void shortensALongValueInItsRefusal() {
    String value = "x".repeat(100_000);
    for (String[] words :
        new String[][] {
          {"next", "--layout", value}, {"workers", "--store", value}, {"decode", value}, {value}
        }) {
      Session refused = new Session();
      assertThat(refused.run(words)).isEqualTo(2);
      assertThat(refused.err()).startsWith("firn: ").hasSizeLessThan(1_000).contains("xxx \u2026 ");
    }
  }

  @Test
  void printsNoControlCharacterOfAValue() {
    String value = "a\u001b[31m\r\nfirn: b\u0085";
    for (String[] words :
        new String[][] {{"next", "--layout", value}, {"decode", value}, {"doctor", value}}) {
      Session refused = new Session();
      assertThat(refused.run(words)).isEqualTo(2);
      assertThat(refused.err())
          .startsWith("firn: ")
          .contains("a\\u001b[31m\\u000d\\u000afirn: b\\u0085")
          .doesNotContain("\u001b", "\r", "\nfirn: b", "\u0085");
    }
  }

  @Test
  void refusesAnOptionWithoutItsValue() {
    assertThat(session.run("next", "--worker")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: worker: none (expected: --worker=N|ordinal|lease)
            Try: firn next --help
            """);
  }

  @Test
  void refusesAnOptionGivenTwice() {
    assertThat(session.run("next", "--worker", "1", "--worker", "2")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: worker: given twice (expected: once)
            Try: firn next --help
            """);
  }

  @Test
  void printsACompletionScriptThatKnowsCommandsLayoutsAndFormats() {
    assertThat(session.run("completion")).isZero();
    assertThat(session.out())
        .startsWith("#!/usr/bin/env bash")
        .contains("complete -F _complete_firn")
        .contains("\"twitter\"", "\"base62\"", "completion", "simulate", "bench")
        .contains("\"uid-generator\"", "\"mariadb\"")
        .doesNotContain("UID_GENERATOR", "MARIADB");
    String serve = session.out().split("function _picocli_firn_serve\\(\\)", -1)[1];
    assertThat(serve)
        .containsPattern("'--config'\\)\n[^;]*compgen -f")
        .contains("(\"on\" \"off\") # --on-demand values");
  }
}
