package io.firn.cli;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.decode.Decoder;
import io.firn.decode.NumberReading;
import io.firn.decode.Reading;
import io.firn.internal.IsoTime;
import io.firn.json.Json;
import io.firn.text.IdFormat;
import io.firn.verify.Verification;
import io.firn.verify.Verification.Descent;
import io.firn.verify.Verification.Duplicate;
import io.firn.verify.Verification.FileCount;
import io.firn.verify.Verification.Place;
import io.firn.verify.Verification.Result;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The result of a verification of at least one ID. */
final class VerifyReport {

  private static final int MAX_DECODED = 100;
  private static final int SHOWN_LAYOUTS = 3;

  /** The IDs of a sample as they read in one layout. */
  private record Guess(IdLayout layout, Instant oldest, Instant newest, long workers) {}

  private final Shell shell;
  private final Verification found;
  private final Result result;
  private final List<Guess> guesses;
  private final boolean guessed;

  VerifyReport(Shell shell, Verification found, Result result, @Nullable IdLayout layout) {
    this.shell = shell;
    this.found = found;
    this.result = result;
    guessed = layout == null;
    long[] sample = found.sample();
    guesses = layout == null ? guesses(sample, ends()) : given(layout, sample, ends());
  }

  private long[] ends() {
    return new long[] {found.smallest(), found.largest()};
  }

  private static List<Guess> given(IdLayout layout, long[] sample, long[] ends) {
    long[] all = LongStream.concat(Arrays.stream(ends), Arrays.stream(sample)).toArray();
    return Arrays.stream(all).allMatch(layout::fits) ? List.of(guess(layout, all)) : List.of();
  }

  /** Returns the layouts in which all IDs of a sample are plausible, the best first. */
  private List<Guess> guesses(long[] sample, long[] ends) {
    Decoder decoder = new Decoder(shell.now(), IdFormat.DECIMAL, List.of());
    int distance = Math.max(1, sample.length / MAX_DECODED);
    Map<IdLayout, Double> scores = new HashMap<>();
    Map<IdLayout, Integer> plausible = new HashMap<>();
    long[] decoded =
        LongStream.concat(
                Arrays.stream(ends),
                LongStream.range(0, sample.length)
                    .filter(i -> i % distance == 0)
                    .map(i -> sample[(int) i]))
            .toArray();
    for (long id : decoded) {
      for (Reading reading : decoder.decode(Long.toUnsignedString(id))) {
        if (reading.plausible() && reading instanceof NumberReading number) {
          scores.merge(number.layout(), number.score(), Double::sum);
          plausible.merge(number.layout(), 1, Integer::sum);
        }
      }
    }
    List<IdLayout> layouts = new ArrayList<>(scores.keySet());
    layouts.removeIf(layout -> plausible.getOrDefault(layout, 0) < decoded.length);
    layouts.sort(
        Comparator.comparing((IdLayout layout) -> scores.getOrDefault(layout, 0.0)).reversed());
    long[] all = LongStream.concat(Arrays.stream(ends), Arrays.stream(sample)).toArray();
    return layouts.stream().limit(SHOWN_LAYOUTS).map(layout -> guess(layout, all)).toList();
  }

  private static Guess guess(IdLayout layout, long[] ids) {
    List<IdParts> parts = Arrays.stream(ids).mapToObj(layout::parse).toList();
    List<Instant> times = parts.stream().map(IdParts::instant).sorted().toList();
    long workers =
        parts.stream()
            .map(part -> layout.workerId(part.datacenter(), part.worker()))
            .distinct()
            .count();
    return new Guess(layout, times.get(0), times.get(times.size() - 1), workers);
  }

  String text() {
    StringBuilder text = new StringBuilder(count(found.count(), "ID", "IDs"));
    if (found.badLines() > 0) {
      text.append(", and ")
          .append(count(found.badLines(), "line", "lines"))
          .append(" without one; the first is ")
          .append(found.firstBad().orElse(""));
    }
    text.append("\n").append(files()).append(duplicates()).append(order());
    text.append("smallest ").append(text(found.smallest()));
    text.append(", largest ").append(text(found.largest())).append("\n");
    return text.append(layouts()).toString();
  }

  private String files() {
    return found.files().size() < 2
        ? ""
        : found.files().stream()
            .map(file -> "  " + count(file.ids(), "ID", "IDs") + " in " + file.name() + bad(file))
            .map(line -> line + "\n")
            .collect(Collectors.joining());
  }

  private static String bad(FileCount file) {
    return file.badLines() == 0
        ? ""
        : ", and " + count(file.badLines(), "line", "lines") + " without one";
  }

  /** Returns an ID as it was read: as a signed number if one was negative. */
  private String text(long id) {
    return found.signed() ? Long.toString(id) : Long.toUnsignedString(id);
  }

  private static String count(long count, String one, String many) {
    return HumanText.amount((double) count) + " " + (count == 1 ? one : many);
  }

  private String duplicates() {
    if (result.repeatedIds() == 0) {
      return shell.ansi().string("@|green no duplicates|@\n");
    }
    String listed =
        result.duplicates().stream()
            .map(each -> "  " + text(each.id()) + "  " + places(each) + "\n")
            .collect(Collectors.joining());
    return shell.ansi().string("@|red duplicates|@: ")
        + count(result.repeatedIds(), "ID stands", "IDs stand")
        + " on more than one line, "
        + count(result.extraLines(), "line", "lines")
        + " too many; the first:\n"
        + listed;
  }

  private static String places(Duplicate duplicate) {
    return duplicate.places().stream().map(Place::toString).collect(Collectors.joining(", "));
  }

  private String order() {
    return found
        .firstDescent()
        .map(
            first ->
                "not ascending: "
                    + count(found.descents(), "ID is", "IDs are")
                    + " smaller than the one before; the first is "
                    + text(first.id())
                    + " after "
                    + text(first.before())
                    + " at "
                    + first.place()
                    + "\n")
        .orElse("ascending\n");
  }

  private String layouts() {
    if (guesses.isEmpty()) {
      return guessed
          ? "no named layout fits all of them\n"
          : "not all of them fit into the layout\n";
    }
    StringBuilder text = new StringBuilder(guessed ? "most plausible:\n" : "layout:\n");
    for (Guess guess : guesses) {
      text.append("  ").append(line(guess)).append("\n");
    }
    return text.toString();
  }

  private String line(Guess guess) {
    return Arguments.nameOf(guess.layout())
        + ": "
        + IsoTime.utc(guess.oldest())
        + " to "
        + IsoTime.utc(guess.newest())
        + ", "
        + count(guess.workers(), "worker", "workers")
        + " in a sample of "
        + found.sample().length;
  }

  String object() {
    return Json.object(
        object -> {
          object
              .number("ids", found.count())
              .number("bad_lines", found.badLines())
              .number("repeated_ids", result.repeatedIds())
              .number("extra_lines", result.extraLines())
              .array("files", found.files(), VerifyReport::file)
              .array("duplicates", result.duplicates(), this::duplicate)
              .number("descents", found.descents())
              .object("first_descent", found.firstDescent(), this::descent)
              .text("smallest", text(found.smallest()))
              .text("largest", text(found.largest()))
              .array("layouts", guesses, VerifyReport::guess);
        });
  }

  private static void file(Json object, FileCount file) throws IOException {
    object.text("file", file.name()).number("ids", file.ids()).number("bad_lines", file.badLines());
  }

  private void duplicate(Json object, Duplicate duplicate) throws IOException {
    object
        .text("id", text(duplicate.id()))
        .array("places", duplicate.places(), VerifyReport::place);
  }

  private static void place(Json object, Place place) throws IOException {
    object.text("file", place.file()).number("line", place.line());
  }

  private void descent(Json object, Descent descent) throws IOException {
    object.text("id", text(descent.id())).text("before", text(descent.before()));
    place(object, descent.place());
  }

  private static void guess(Json object, Guess guess) throws IOException {
    object
        .text("layout", Arguments.nameOf(guess.layout()))
        .time("oldest", guess.oldest())
        .time("newest", guess.newest())
        .number("workers_in_sample", guess.workers());
  }
}
