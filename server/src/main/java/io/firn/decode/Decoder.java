package io.firn.decode;

import io.firn.IdLayout;
import io.firn.text.IdFormat;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Takes any text as an ID: 64 bits in every form and every named layout, UUID, ULID, ObjectId,
 * KSUID, xid, and each of them behind the prefix of a TypeID. Immutable.
 */
public final class Decoder {

  private static final Pattern PREFIX = Pattern.compile("[A-Za-z][A-Za-z0-9_]*");

  private final FamilyRanking families;
  private final UuidForms uuids;
  private final WideForms others;
  private final @Nullable IdFormat format;

  /** Creates a decoder of any text, to which {@code now} is the present. */
  public Decoder(Instant now) {
    this(now, null, List.of());
  }

  /**
   * Creates a decoder to which {@code now} is the present.
   *
   * @param format the form of all texts; null if they may have any
   * @param known the namespaces whose layouts are more likely than others
   */
  public Decoder(Instant now, @Nullable IdFormat format, List<KnownNamespace> known) {
    families = new FamilyRanking(now, known);
    uuids = new UuidForms(now);
    others = new WideForms(now);
    this.format = format;
  }

  /**
   * Returns every reading of a text, the most plausible first, and with each one those of the same
   * form and instant. Those that are not {@link Reading#plausible} come last.
   *
   * @throws IllegalArgumentException if the text has the form of no ID
   */
  public List<Reading> decode(String text) {
    if (format != null) {
      return ranked(families.of(WrittenNumber.of(text, format)));
    }
    List<Reading> readings = ranked(Stream.concat(bare(text), prefixed(text)));
    if (readings.isEmpty()) {
      throw new IllegalArgumentException(
          "id: "
              + text
              + " (expected: a number from 0 on in decimal, after 0x or in another text form, or a"
              + " UUID, ULID, ObjectId, KSUID, xid or TypeID)");
    }
    return readings;
  }

  /**
   * Returns the plausible readings of a text, as {@link #decode(String)}.
   *
   * @throws IllegalArgumentException if there is none
   */
  public List<Reading> plausible(String text) {
    List<Reading> readings = decode(text);
    List<Reading> plausible = readings.stream().filter(Reading::plausible).toList();
    if (plausible.isEmpty()) {
      throw new IllegalArgumentException(
          "id: "
              + readings.get(0).id()
              + " (expected: a time between the epoch and next week in some named layout, or a"
              + " layout)");
    }
    return plausible;
  }

  /**
   * Returns the reading of a number in that layout: the most plausible one, if the text may have
   * several forms.
   *
   * @throws IllegalArgumentException if the text is no number, or none of the layout
   */
  public NumberReading decode(String text, IdLayout layout) {
    List<WrittenNumber> numbers = format == null ? WrittenNumber.all(text) : List.of();
    return numbers.stream()
        .filter(number -> layout.fits(number.id()))
        .map(number -> families.in(layout, number))
        .max(Comparator.comparingDouble(NumberReading::score))
        .orElseGet(() -> families.in(layout, only(text)));
  }

  private WrittenNumber only(String text) {
    return WrittenNumber.of(text, format == null ? IdFormat.DECIMAL : format);
  }

  /**
   * Returns those of the readings, from the first on, that split an ID as the first one does, and
   * differ from it in the epoch or in where the worker is divided: no ID can distinguish them.
   */
  public static List<Reading> indistinct(List<Reading> readings) {
    return readings.stream()
        .filter(reading -> FamilyRanking.areIndistinct(readings.get(0), reading))
        .toList();
  }

  private Stream<Reading> bare(String text) {
    Stream<Reading> wide = Stream.concat(uuids.of(text), others.of(text));
    return Stream.concat(wide, WrittenNumber.all(text).stream().flatMap(families::of));
  }

  /** Returns what follows the prefix of a TypeID, which may have underscores of its own. */
  private Stream<Reading> prefixed(String text) {
    int end = text.lastIndexOf('_');
    if (end < 0 || !PREFIX.matcher(text.substring(0, end)).matches()) {
      return Stream.of();
    }
    String prefix = text.substring(0, end + 1);
    return bare(text.substring(end + 1))
        .map(reading -> reading.withForm(reading.form() + " behind " + prefix));
  }

  private static List<Reading> ranked(Stream<? extends Reading> readings) {
    Comparator<Reading> best =
        Comparator.comparing(Reading::plausible).thenComparingDouble(Reading::score).reversed();
    return together(readings.sorted(best).toList());
  }

  /** Moves readings of the same form and instant behind the first of them, in their order. */
  private static List<Reading> together(List<? extends Reading> ranked) {
    record Moment(boolean plausible, String form, Optional<Instant> instant) {}
    Map<Moment, List<Reading>> together = new LinkedHashMap<>();
    for (Reading reading : ranked) {
      Moment moment = new Moment(reading.plausible(), reading.form(), reading.instant());
      together.computeIfAbsent(moment, any -> new ArrayList<>()).add(reading);
    }
    return together.values().stream().flatMap(List::stream).toList();
  }
}
